// @ts-check
/**
 * Piece ids → unit vector: the embedded model's forward pass (hub_index/embedding/usem3/model.py) in plain JavaScript.
 * The large table of embeddings is never held: the rows of the pieces that occur are handed in.
 */

export const DIM = 512;
const CHUNKS = 17; // the vocabulary is spread over 17 blocks, each with its own scale
const WIDTH = 256;
const ORDERS = [2, 3, 5]; // pieces in a window; half of the others stand before the current one

/** @typedef {Map<string, Float32Array>} Weights by name, row after row */

/**
 * @param {Weights} weights
 * @param {number[]} ids
 * @param {Map<number, Uint8Array>} rows of the table, by id
 */
export function embedIds(weights, ids, rows) {
  const features = lookUp(weights, ids, rows);
  const projected = projectRows(weights, features);
  const convolved = ORDERS.map((order, number) => {
    const band = projected.map((row) => row.slice(number * WIDTH, (number + 1) * WIDTH));
    return convolve(weights, band, order);
  });
  const whole = features.map((row, at) => concatenate([row, ...convolved.map((parts) => parts[at])]));
  for (const row of whole) normalizeRow(row, get(weights, "ln_g"), get(weights, "ln_b"), eps(weights));
  return project(weights, whole);
}

/** @param {Weights} weights @param {string} name */
function get(weights, name) {
  const found = weights.get(name);
  if (!found) throw new Error(`the model has no ${name}`);
  return found;
}

/** @param {Weights} weights */
function eps(weights) {
  return get(weights, "eps")[0];
}

/** @param {Weights} weights @param {number[]} ids @param {Map<number, Uint8Array>} rows */
function lookUp(weights, ids, rows) {
  const [scale, low] = [get(weights, "scale"), get(weights, "lo")];
  return ids.map((id) => {
    const row = rows.get(id);
    if (!row) throw new Error(`the model's row ${id} is missing`);
    return Float32Array.from(row, (value) => value * scale[id % CHUNKS] + low[id % CHUNKS]);
  });
}

/** The pieces, ready for all three convolutions. @param {Weights} weights @param {Float32Array[]} rows */
function projectRows(weights, rows) {
  const bands = ORDERS.map((order) => multiplyRows(rows, get(weights, `proj_w_${order}`)));
  return rows.map((_, at) => {
    const out = concatenate(bands.map((band) => band[at]));
    add(out, get(weights, "proj_b"));
    normalizeRow(out, get(weights, "proj_ln_g"), get(weights, "proj_ln_b"), eps(weights));
    return out;
  });
}

/** The windows of one width over all pieces, through two layers. @param {Weights} weights @param {Float32Array[]} current @param {number} order */
function convolve(weights, current, order) {
  const before = Math.floor((order - 1) / 2);
  const zero = new Float32Array(WIDTH);
  for (const layer of ["1", "2"]) {
    const [matrix, shift] = [get(weights, `w${layer}_${order}`), get(weights, `b${layer}_${order}`)];
    const windows = current.map((_, at) =>
      concatenate(Array.from({ length: order }, (_none, step) => current[at - before + step] ?? zero)),
    );
    multiplyRows(windows, matrix).forEach((out, at) => {
      add(out, shift);
      add(current[at], relu(out));
    });
  }
  return current;
}

/** @param {Weights} weights @param {Float32Array[]} features */
function project(weights, features) {
  const sum = new Float32Array(features[0].length);
  for (const row of features) add(sum, row);
  const mean = multiply(sum, get(weights, "cnn_W"));
  const shift = get(weights, "cnn_b");
  const share = 1 / Math.sqrt(features.length);
  for (let at = 0; at < mean.length; at += 1) mean[at] = (mean[at] + features.length * shift[at]) * share;
  const hidden = multiply(mean, get(weights, "p1"));
  add(hidden, multiply(relu(multiply(mean, get(weights, "d0"))), get(weights, "d1")));
  relu(hidden);
  const out = multiply(hidden, get(weights, "p3"));
  add(out, multiply(relu(multiply(hidden, get(weights, "d2"))), get(weights, "d3")));
  const vector = out.map(Math.tanh);
  const norm = Math.sqrt(
    Math.max(
      vector.reduce((total, value) => total + value * value, 0),
      eps(weights),
    ),
  );
  return vector.map((value) => value / norm);
}

/** Row × matrix. @param {Float32Array} row @param {Float32Array} matrix */
function multiply(row, matrix) {
  return multiplyRows([row], matrix)[0];
}

/**
 * Rows × matrix, two rows and four outputs at a time: a browser reads memory more slowly than it multiplies.
 * @param {Float32Array[]} rows all of one length @param {Float32Array} matrix the numbers of one output after another's
 */
function multiplyRows(rows, matrix) {
  const size = rows[0].length;
  const width = matrix.length / size;
  const out = rows.map(() => new Float32Array(width));
  for (let at = 0; at < rows.length; at += 2) {
    const [one, other] = [rows[at], rows[at + 1] ?? rows[at]];
    const [oneOut, otherOut] = [out[at], out[at + 1] ?? new Float32Array(width)];
    for (let to = 0; to < width; to += 4) multiplyTile(one, other, matrix, to, oneOut, otherOut);
  }
  return out;
}

/** @param {Float32Array} one @param {Float32Array} other @param {Float32Array} matrix @param {number} to @param {Float32Array} oneOut @param {Float32Array} otherOut */
function multiplyTile(one, other, matrix, to, oneOut, otherOut) {
  const size = one.length;
  const [first, second, third, fourth] = [to * size, (to + 1) * size, (to + 2) * size, (to + 3) * size];
  let [a0, a1, a2, a3] = [0, 0, 0, 0];
  let [b0, b1, b2, b3] = [0, 0, 0, 0];
  for (let from = 0; from < size; from += 1) {
    const a = one[from];
    const b = other[from];
    const w0 = matrix[first + from];
    const w1 = matrix[second + from];
    const w2 = matrix[third + from];
    const w3 = matrix[fourth + from];
    a0 += a * w0;
    a1 += a * w1;
    a2 += a * w2;
    a3 += a * w3;
    b0 += b * w0;
    b1 += b * w1;
    b2 += b * w2;
    b3 += b * w3;
  }
  oneOut.set([a0, a1, a2, a3], to);
  otherOut.set([b0, b1, b2, b3], to);
}

/** @param {Float32Array} row @param {Float32Array} other */
function add(row, other) {
  for (let at = 0; at < row.length; at += 1) row[at] += other[at];
}

/** @param {Float32Array} row */
function relu(row) {
  for (let at = 0; at < row.length; at += 1) if (row[at] < 0) row[at] = 0;
  return row;
}

/** @param {Float32Array[]} rows */
function concatenate(rows) {
  const out = new Float32Array(rows.reduce((total, row) => total + row.length, 0));
  let at = 0;
  for (const row of rows) {
    out.set(row, at);
    at += row.length;
  }
  return out;
}

/** @param {Float32Array} row @param {Float32Array} gain @param {Float32Array} shift @param {number} small */
function normalizeRow(row, gain, shift, small) {
  const mean = row.reduce((total, value) => total + value, 0) / row.length;
  const variance = row.reduce((total, value) => total + (value - mean) ** 2, 0) / row.length;
  const scale = 1 / Math.sqrt(variance + small);
  for (let at = 0; at < row.length; at += 1) row[at] = (row[at] - mean) * scale * gain[at] + shift[at];
}
