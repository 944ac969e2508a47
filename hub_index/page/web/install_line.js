// @ts-check
/** The command that installs a skill, as `install_line` of hub_index/service/hubs/reference.py writes it. */

/** Empty for a document. @param {{ id: string, kind: string }} skill */
export function installLine({ id, kind }) {
  if (kind !== "skill") return "";
  return `hub-index add ${id.startsWith("-") ? "-- " : ""}${quote(id)}`;
}

/** A word for a shell. @param {string} text */
export function quote(text) {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
