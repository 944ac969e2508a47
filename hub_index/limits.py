"""Every size that an outsider can choose has a cap here, with its reason."""

# --- the hub's files (largest real SKILL.md of 124,963: 294 kB; largest frontmatter seen: a few tens of kB)
MAX_SKILL_BYTES = 2 * 1024 * 1024  # seven times the largest real file; 100 MB blobs are never read
MAX_FRONTMATTER_CHARS = 64 * 1024  # of a longer one only these are read, field by field; name and description anywhere
MAX_YAML_DEPTH = 32  # real frontmatter reaches depth 6; deep nesting is an attack on recursion
MAX_YAML_NODES = 5_000
MAX_HUB_CONFIG_BYTES = 64 * 1024  # hub-index.toml
MAX_CONFIG_ENTRIES = 64  # roots or exclude patterns: each is compared with every candidate file
MAX_CONFIG_STEP_CHARS = 64  # one folder's name in a path of the settings: long enough for names, short for prose
MAX_CONFIG_CHARS = 256  # one root, pattern, output folder or model name
MAX_WALKED_FILES = 500_000  # files and folders of a hub without an index: the 109,026 skills of all have 290,000
MAX_LINK_BYTES = 4 * 1024  # where a symbolic link points: no system follows a longer path
MAX_LINK_STEPS = 40  # links that lead to links, as Linux counts them: more is a loop
MAX_LABELS_BYTES = 16 * 1024 * 1024  # a hub's labelled queries, or their labels: 21,041 real questions have 3 MB
MAX_GATE_QUERIES = (
    2_000  # asked before an index goes out, of two indexes: 20 s of processor time with the embedded model
)
DEFAULT_MAX_DROP = 2.0  # points of nDCG@10 that labelled queries may lose from one index to the next
MAX_GRADE = 1_000  # of a label; real ones are 0 to 3, and a sum of enormous ones is no number any more

# --- one record: the line must stay below 64 KiB, at which the Axon client drops the whole index
MAX_ID_BYTES = 512
MAX_PATH_BYTES = 1024
MAX_PATH_STEPS = 64  # folders from the hub's root down to a record or a file beside it; a walk keeps one handle each
MAX_NAME_CHARS = 256
MAX_DESCRIPTION_CHARS = 8_192
MAX_KEYWORDS_CHARS = 2_048  # all of a record's keywords together
MAX_LANG_CHARS = 16  # `zh-Hant-TW` has ten
MAX_LINE_BYTES = 64 * 1024 - 1
MAX_BODY_CHARS = 60_000  # what the lexical leg reads of a body

# --- the published files: checked before anything is allocated
MAX_MANIFEST_BYTES = 512 * 1024  # of format 2 with 1,024 parts: 330 kB
MAX_WHOLE_MANIFEST_BYTES = 64 * 1024  # of format 1, which lists no parts
MAX_PART_BITS = 10  # 1,024 parts: more than MAX_VECTOR_BYTES fills
PART_BYTES = 50 * 1000 * 1000  # a part that would be larger is split; GitHub warns about larger files
MAX_HOLD_BYTES = 64 * 1024  # index_hold.json: three short lines
MAX_COUNT = 2_000_000
MAX_ALIAS_CHARS = 128  # a published model_id
MAX_DIM = 16_384
MAX_SKILLS_BYTES = 4 * 1024**3
MAX_VECTOR_BYTES = 16 * 1024**3
MAX_JSON_DEPTH = 16
MAX_INT_DIGITS = 20  # more than 2^63 has; a number of 5,000 digits takes time before it can be refused
MAX_MANIFEST_TEXT_CHARS = 1_024  # model_id, hub_revision, generator: they are printed
MAX_SIGNATURE_BYTES = 16 * 1024  # index_manifest.json.sig: RSA of 16,384 bits with a certificate has 8 kB
MAX_SIGNERS_TRIED = 16  # names of one key in allowed_signers: each starts a process
MAX_GIT_FILE_BYTES = 100 * 1000 * 1000  # GitHub refuses larger files
MAX_GIT_PATH_BYTES = 4_096  # of one file in git's index: the system opens no longer one
MAX_GIT_PATHS_BYTES = 256 * 1024 * 1024  # of all files in it: two million of 128 bytes
MAX_KEPT_INDEXES = 3  # earlier ones of a branch without history: each is a whole copy in the remote's storage

# --- the user's allowed_signers: some 100 bytes a line; it is hashed before each search
MAX_ALLOWED_SIGNERS_BYTES = 1024 * 1024

# --- one query: however long, it is answered in the time of a long sentence (6,793 skills)
MAX_QUERY_CHARS = 8_192  # the longest labelled question has 2,000; a megabyte is an accident or an attack
MAX_QUERY_TERMS = 256  # distinct tokens that are scored: each costs a look-up in five fields
MAX_QUERY_DEMANDS = 32  # distinct words and phrases with a sign, a field or quotes: more are not typed by hand
MAX_QUERY_DEMAND_TERMS = 128  # their tokens: a phrase is searched in every field, twice where it has capitals
MAX_QUERY_PREFIXES = 8  # distinct ones: each expands to up to 64 words of the hub

# --- the service: what one request may ask for, by whatever door
MAX_OPEN_HUBS = 32  # each is asked at every query; people have a handful
MAX_HUB_NAME_CHARS = 64  # a hub's name stands in every uri
MAX_HUBS_FILE_BYTES = 64 * 1024  # ~/.axon/hubs.toml: 32 hubs take 3 kB
MAX_REQUEST_TEXT_CHARS = 64 * 1024  # a query: of more than MAX_QUERY_CHARS the rest is not read, and a notice says so
MAX_REFERENCE_CHARS = 4_096  # a skill's id, path or uri, percent-encoded: three times MAX_PATH_BYTES and more
MAX_FILTER_CHARS = 256  # a language, a date, a heading, a hub's name
MAX_CURSOR_CHARS = 1_024  # a list's holds a hub's name and an id of MAX_ID_BYTES, in base64
MAX_LISTED_SKILLS = 1_000  # of one page: some 300 kB of JSON
MAX_CONTEXT_LINES = 50  # before and after a passage; more is a section, which `read` gives
MAX_SPAN_CHARS = 4_000  # of one passage with its context: a line may be as long as its file
MAX_SKILL_LINES = 2_097_152  # no file of MAX_SKILL_BYTES has more
MAX_TOKEN_BUDGET = 1_000_000
MIN_TOKEN_BUDGET = 50  # less holds no hit at all
MIN_READ_BUDGET = 30  # less holds no word beside the mark of a line that was cut
MAX_SKILL_FILES = 512  # files of a skill's folder that are listed, and read: the number of MCP's Skills extension
MAX_SKILL_FOLDER_BYTES = 16 * 1024 * 1024  # of them all together, which are hashed; the same source
MAX_RAW_FILE_BYTES = 4 * 1024 * 1024  # one of them given out byte for byte: it travels as base64, in one message
MAX_READ_FILE_BYTES = 1024 * 1024  # a file beside a skill that is given out as text

# --- the specification of SKILL.md (what `lint` calls advice)
SPEC_NAME_CHARS = 64
SPEC_DESCRIPTION_CHARS = 1_024
SPEC_COMPATIBILITY_CHARS = 500
SHORT_DESCRIPTION_WORDS = 4  # fewer say what a thing is, hardly ever when to use it
SHORT_BODY_WORDS = 12
IDEOGRAPHS_PER_WORD = 2  # Chinese and Japanese signs, Korean syllables: 按月份整理旧的日志文件 is a sentence
UNSPACED_LETTERS_PER_WORD = 4  # Thai, Lao, Burmese, Khmer, vowel signs included
MAX_SINGLE_HINTS = 10  # texts that may be meant as skills are named one by one; more are one problem with their count
LARGE_FILE_BYTES = 100_000  # 30 of 124,963 real files are larger; an agent loads all of it

NORM_TOLERANCE = 1e-3

# --- what the embedded model reads of a text; part of its space (longest real text of 6,793: 317 tokens, 1,183
# characters; a record's text with every field at its cap: 10,530 characters)
MAX_MODEL_CHARS = 16_384  # before the tokenizer, whose time grows with the text
MAX_MODEL_TOKENS = 1_024  # 20 MB and 60 ms in the model

# --- `hub-index check`: skills of a base without an index, or new ones, that are embedded to find the nearest
MAX_COMPARED_SKILLS = 2_000  # 10 s of processor time, once; a pull request's answer may not take as long as a build

# --- the user's own name for a server of embeddings
MAX_ENDPOINT_NAME_CHARS = 40  # enough for a host's name; the providers' keys are longer, should one land here

# --- an embeddings API's answer: 256 vectors of 3,072 numbers written out in JSON are 17 MB
MAX_ANSWER_BYTES = 64 * 1024 * 1024

# --- `hub-index serve`: what a client may send and ask for
MAX_SERVED_BODY_BYTES = 4 * 1024 * 1024  # 128 texts of a real hub are 60 kB; the slowest full body takes minutes
MAX_SERVED_QUESTION_BYTES = 1024 * 1024  # of any request but for embeddings: fifty questions of the longest kind
MAX_SERVED_HEADER_BYTES = 64 * 1024  # the request's line and headers; browsers send 2 kB
MAX_SERVED_HEADERS = 100
MAX_SERVED_TARGET_BYTES = 32 * 1024  # path and query string; longer questions are sent by POST
MAX_SERVED_INPUTS = 2_048  # as OpenAI's own service allows
MAX_SERVED_INPUT_CHARS = 64 * 1024  # the model reads MAX_MODEL_CHARS of it, as a build does
MAX_SERVED_NAME_CHARS = 128
MAX_SERVED_CONNECTIONS = 64  # more than a team's agents keep open; each costs memory, a slow one most
MAX_SERVED_IDLE_WEBSOCKETS = 16  # of one token or address: a quarter of the connections
MAX_SERVED_WAITING = 32  # requests that search, embed or wait for it: about a second of work
MAX_SERVED_BATCH = 50  # calls in one JSON-RPC batch
MAX_SERVED_K = 1_000  # hits of one answer to a program: 1 MB of JSON
MAX_AGENT_K = 50  # hits of one answer to an agent, which pays for each word
SERVED_REQUESTS_PER_S = 500  # one client with one short text a request gets through 330
SERVED_REQUEST_S = 20.0  # for a whole request to arrive, and for its answer to be taken
MAX_TOKEN_FILE_BYTES = 64 * 1024  # some hundred lines of NAME TOKEN
MAX_TOKENS = 256  # each is compared with every request's
MIN_TOKEN_CHARS = 16  # shorter ones can be guessed

# --- the user's cache folder: what can be made again is kept within these
MAX_LEXICAL_CACHE_BYTES = 4 * 1024**3  # 109,000 skills take 0.5 GB; the entry in use stays whatever it takes
MAX_LEXICAL_ENTRIES = 12  # a user has one hub, two indexes, some branches and old states
MAX_VECTOR_COPIES_BYTES = 8 * 1024**3  # a million vectors of 512 numbers take 2.1 GB with their signs
UNUSED_CACHE_DAYS = 30

# --- a model in a folder of the user's (`onnx:`), and what `hub-index model pull` fetches
MAX_MODEL_NAME_CHARS = 64  # it is published in every manifest
MAX_MODEL_SETTINGS_BYTES = 64 * 1024  # hub-index-model.json and the small files of a repository: 1 kB each
MAX_MODEL_PREFIX_CHARS = 1_000  # the longest instruction in use has 200
MAX_ONNX_TOKENS = 8_192  # as bge-m3 reads; attention takes memory by the square
MAX_TOKENIZER_BYTES = 128 * 1024 * 1024  # bge-m3's has 17 MB; it is read whole
MAX_ONNX_PARTS = 64  # files beside model.onnx that hold its weights: bge-m3 has two
MAX_PULLED_BYTES = 16 * 1024**3  # all files of one model; bge-m3 has 2.3 GB

# --- a reranker: what one search may send and wait for
MAX_RERANKED = 50  # skills whose order it may change
RERANK_BUDGET_S = 2.0  # all tries together: a user waits
MAX_RERANK_CHARS = 64_000  # of all texts together; each keeps its share, and a paid one is cheap
MAX_RERANK_QUERY_CHARS = 2_000
MAX_RERANK_ANSWER_BYTES = 1024 * 1024  # 50 scores are 3 kB; some servers send the texts back

# --- traces: what is kept of searches and uses, where the user has asked for it
MAX_TRACE_DAYS = 730  # what was accepted two years ago counts 1/38 of what is new
MAX_TRACES_BYTES = 64 * 1024 * 1024  # some 20,000 searches with their vectors
MAX_TRACED_HITS = 50  # of one answer: later hits are hardly ever chosen
MAX_TRACE_ID_CHARS = 128  # a search_id or a session, which other programs may name
MAX_LEARNT_EVENTS = 5_000  # the newest outcomes of a hub: their vectors are 10 MB, read in 20 ms
MAX_FAVOURED_SKILLS = 256  # whose rows are looked up for each query: 2 ms
MAX_REPLAYED_SEARCHES = 500  # each is asked four times

# --- the page: what one skill may take of it
MAX_PAGE_TEXT_CHARS = 100_000  # of a body; the rest is read in the hub
MAX_PAGE_PHRASE_ROWS = 64  # skills whose texts are read for a phrase: at most some 2 MB to a visitor
MAX_PAGE_WELL_KNOWN_BYTES = 200_000_000  # of all skills' files, which stand beside a page once more
MAX_PAGE_FILES = 512  # beside a skill, as in "Skills over MCP"

# --- installed skills and hub-index.lock; one skill has at most MAX_SKILL_FILES of MAX_SKILL_FOLDER_BYTES
MAX_INSTALL_LOCK_BYTES = 16 * 1024 * 1024  # some 150 bytes a file: 200 skills of MAX_SKILL_FILES
MAX_SHOWN_DIFF_LINES = 200  # of one skill that is updated; a reader of more looks into the hub
