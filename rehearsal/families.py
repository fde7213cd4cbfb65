"""The simulator's own table of models, copied from sections 1 and 5 of the fact sheet, not from config/vendors.

The fact sheet is a summary of the vendors' public pages, from which both tables were made; section numbers in this room
are its sections, and S1 to S4 its rules for a simulator (section 8)."""

from __future__ import annotations

from dataclasses import replace

from scrollwork.rehearsal.prices import Family, Price, Tier

LONG = (Tier(272_000, "2", "1.5"),)
FULL = ("none", "low", "medium", "high", "xhigh", "max")
NEVER_OFF = ("low", "medium", "high", "xhigh", "max")


def _new(name: str, price: Price, efforts: tuple[str, ...], *aliases: str, later: tuple[Price, ...] = ()) -> Family:
    """An OpenAI family of GPT-5.6 or later (section 1.1). later: prices that hold from a later date."""
    return Family(
        name,
        "openai",
        (price, *later),
        efforts,
        "medium",
        "none" if "none" in efforts else "never",
        "breakpoints",
        1_024,
        922_000,
        1_050_000,
        128_000,
        LONG,
        aliases=aliases,
    )


def _old(
    name: str,
    price: Price,
    efforts: tuple[str, ...],
    default: str,
    *,
    sampling: str = "none",
    long: bool = False,
    ends: str | None = None,
    minimum: int = 1_024,
) -> Family:
    """An OpenAI reasoning family with the earlier cache rule."""
    limits = (922_000, 1_050_000) if long else (272_000, 400_000)
    return Family(
        name,
        "openai",
        (price,),
        efforts,
        default,
        sampling,
        "steps",
        minimum,
        *limits,
        128_000,
        LONG if long else (),
        ends,
    )


UP_TO_XHIGH = ("none", "low", "medium", "high", "xhigh")
FIVE = ("minimal", "low", "medium", "high")
OPENAI = (
    _new("gpt-6.2-astra", Price("8", "0.40", "40", "10", "20"), NEVER_OFF),
    _new("gpt-6.2-sol", Price("2", "0.10", "10", "2.50", "5"), NEVER_OFF),
    _new("gpt-6-astra", Price("10", "1", "50", "12.50", "25"), NEVER_OFF),
    _new("gpt-6.1-sol", Price("2", "0.10", "10", "2.50", "5"), NEVER_OFF),
    _new("gpt-6.1-terra", Price("1", "0.05", "5", "1.25", "2.50"), FULL),
    _new("gpt-6-sol", Price("2", "0.20", "10", "2.50", "5"), FULL),
    _new("gpt-6-luna", Price("0.10", "0.01", "0.50", "0.125", "0.25"), FULL),
    # The lower price was promised until 2026-11-21; after that, the list price is assumed.
    _new("gpt-5.6-sol", Price("4", "0.40", "20", "5", "10"), FULL, "gpt-5.6",
         later=(Price("5", "0.50", "30", "6.25", "12.50", "2026-11-22"),)),
    _new("gpt-5.6-terra", Price("2", "0.20", "12", "2.50", "5"), FULL),
    _new("gpt-5.6-luna", Price("0.20", "0.02", "1.20", "0.25", "0.50"), FULL),
    _old("gpt-5.5", Price("5", "0.50", "30"), UP_TO_XHIGH, "medium", long=True, minimum=2_048),
    _old("gpt-5.4", Price("2.50", "0.25", "15"), UP_TO_XHIGH, "medium", long=True),
    _old("gpt-5.4-mini", Price("0.75", "0.075", "4.50"), UP_TO_XHIGH, "medium"),
    _old("gpt-5.4-nano", Price("0.20", "0.02", "1.25"), UP_TO_XHIGH, "medium", ends="2027-04-01"),
    _old("gpt-5.2", Price("1.75", "0.175", "14"), UP_TO_XHIGH, "none"),
    _old("gpt-5.1", Price("1.25", "0.125", "10"), UP_TO_XHIGH[:-1], "none", ends="2027-04-01"),
    _old("gpt-5", Price("1.25", "0.125", "10"), FIVE, "medium", sampling="never", ends="2026-12-11"),
    _old("gpt-5-mini", Price("0.25", "0.025", "2"), FIVE, "medium", sampling="never", ends="2026-12-11"),
    Family("gpt-4.1", "openai", (Price("2", "0.50", "8"),), cache="steps", max_input=1_047_576,
           context=1_047_576, max_output=32_768, ends="2027-01-14"),
    Family("gpt-4.1-mini", "openai", (Price("0.40", "0.10", "1.60"),), cache="steps", max_input=1_047_576,
           context=1_047_576, max_output=32_768, ends="2027-01-14"),
    Family("gpt-4o", "openai", (Price("2.50", "1.25", "10"),), cache="steps", ends="2027-01-14"),
    Family("gpt-4o-mini", "openai", (Price("0.15", "0.075", "0.60"),), cache="steps", ends="2027-01-14"),
    Family("gpt-4-turbo", "openai", (Price("10", "10", "30"),), ends="2026-10-23"),
    Family("o3-mini", "openai", (Price("1.10", "0.55", "4.40"),), FIVE[1:], "medium", "never", ends="2026-10-23"),
)  # fmt: skip


def _claude(
    name: str,
    price: tuple[Price, ...],
    thinking: tuple[str, ...],
    default: str = "high",
    minimum: int = 512,
    *,
    sampling: str = "never",
    efforts: tuple[str, ...] = NEVER_OFF,
    context: int = 1_000_000,
    max_output: int = 128_000,
    ends: str | None = None,
    tiers: tuple[Tier, ...] = (),
    aliases: tuple[str, ...] = (),
) -> Family:
    """A Claude family (section 1.2)."""
    return Family(
        name,
        "anthropic",
        price,
        efforts,
        default,
        sampling,
        "blocks",
        minimum,
        context,
        context,
        max_output,
        tiers,
        ends,
        aliases,
        thinking,
    )


OPUS = (Price("5", "0.50", "25", "6.25", "10"),)
SONNET_4 = (Price("3", "0.30", "15", "3.75", "6"),)
ANTHROPIC = (
    _claude("claude-fable-5-2", (Price("8", "0.20", "40", "10", "16"),), ("adaptive",)),
    _claude("claude-fable-5-1", (Price("10", "0.25", "50", "12.50", "20"),), ("adaptive",)),
    _claude("claude-opus-5-5", (Price("4", "0.20", "20", "5", "8"),), ("adaptive",), "medium"),
    _claude(
        "claude-sonnet-5-5",
        (Price("2", "0.20", "10", "2.50", "4"), Price("2", "0.10", "10", "2.50", "4", "2026-10-07")),
        ("adaptive", "between_tools"),
    ),
    _claude("claude-haiku-5-5", (Price("0.10", "0.01", "0.50", "0.125", "0.20"),), ("adaptive",), "medium",
            tiers=(Tier(100_000, "5", "5"),)),
    _claude("claude-opus-5", OPUS, ("adaptive", "disabled")),
    _claude("claude-sonnet-5", (Price("2", "0.20", "10", "2.50", "4"),), ("adaptive", "disabled"), minimum=1_024),
    _claude("claude-opus-4-8", OPUS, ("disabled", "adaptive"), minimum=1_024),
    _claude("claude-opus-4-7", OPUS, ("disabled", "adaptive"), minimum=2_048),
    _claude("claude-opus-4-5", OPUS, ("disabled", "enabled"), minimum=4_096, sampling="always", context=200_000,
            max_output=64_000, efforts=("low", "medium", "high")),
    _claude("claude-sonnet-4-5", SONNET_4, ("disabled", "enabled"), minimum=1_024, sampling="always", efforts=(),
            context=200_000, max_output=64_000, ends="2026-11-30"),
    _claude("claude-opus-4-6", OPUS, ("disabled", "adaptive", "enabled"), minimum=4_096, sampling="always"),
    _claude("claude-sonnet-4-6", SONNET_4, ("disabled", "adaptive", "enabled"), minimum=1_024, sampling="always"),
    _claude("claude-haiku-4-5", (Price("1", "0.10", "5", "1.25", "2"),), ("disabled", "enabled"), minimum=4_096,
            sampling="always", efforts=(), context=200_000, max_output=64_000,
            aliases=("claude-haiku-4-5-20251001",)),
)  # fmt: skip

GEMINI_LEVELS = ("low", "medium", "high")


def _gemini(
    name: str, prices: tuple[Price, ...], default: str = "medium", tiers: tuple[Tier, ...] = (), minimal: bool = False
) -> Family:
    """A Gemini family behind its OpenAI-compatible endpoint (section 1.3)."""
    efforts = ("minimal", *GEMINI_LEVELS) if minimal else GEMINI_LEVELS
    return Family(
        name, "gemini", prices, efforts, default, "always", "steps", 4_096, 1_048_576, 1_048_576, 65_536, tiers
    )


FLASH = (Price("0.75", "0.075", "3.75"), Price("1.50", "0.15", "7.50", since="2027-01-01"))
GEMINI = (
    _gemini("gemini-3.8-flash", FLASH),
    _gemini("gemini-3.6-flash", FLASH),
    _gemini("gemini-3.5-flash", (Price("1.50", "0.15", "9"),), minimal=True),
    _gemini("gemini-3.5-flash-lite", (Price("0.30", "0.03", "2.50"),), minimal=True),
    _gemini("gemini-3.1-pro-preview", (Price("2", "0.20", "12"),), "high", (Tier(200_000, "2", "1.5"),)),
)

_DEEPSEEK = Family(
    "deepseek-flash", "deepseek", (Price("0.15", "0.003", "0.60"),), ("none", "high"), "high", "always", "steps", 64,
    1_000_000, 1_000_000, 384_000, served="deepseek-v4.1-flash-1017", peak=True,
)  # fmt: skip
_GROK = Family(
    "grok-4.7", "xai", (Price("2", "0.50", "6"),), ("low", "medium", "high", "xhigh"), "high", "always", "steps", 128,
    500_000, 500_000, 500_000, (Tier(199_999, "2", "2"),),
)  # fmt: skip
_FREE = Price("0", "0", "0")
OTHERS = (
    _DEEPSEEK,
    replace(_DEEPSEEK, id="deepseek-v4-pro", prices=(Price("0.66", "0.022", "1.98"),), served=""),
    _GROK,
    replace(_GROK, id="grok-4.6"),
    # The fact sheet has no prices of these: they are billed as free (docs/architecture.md says so).
    Family("openai/gpt-oss-120b", "groq", (_FREE,), ("low", "medium", "high"), "medium", cache="steps",
           max_input=131_072, context=131_072, max_output=65_536),
    Family("mistral-large", "mistral", (_FREE,)),
    Family("together-model", "together", (_FREE,)),
    Family("anthropic/claude-opus-5.5", "openrouter", (Price("4", "0.20", "20", "5", "8"),), NEVER_OFF, "medium",
           "dropped", "", 512, 1_000_000, 1_000_000, 128_000),  # Claude caches at marks alone
    Family("local", "vllm", (_FREE,), cache="steps", minimum=16, max_input=32_768, context=32_768),
    Family("local", "llamacpp", (_FREE,), max_input=8_192, context=8_192),
    Family("local", "ollama", (_FREE,), max_input=4_096, context=4_096),
)  # fmt: skip
FAMILIES = (*OPENAI, *ANTHROPIC, *GEMINI, *OTHERS)
_FEWER = ("claude-opus-4-5", "claude-sonnet-4-5", "claude-opus-4-6", "claude-sonnet-4-6", "claude-haiku-4-5")
# Characters per token of English text; all others have 4. Claude 4.7 and later have a finer tokenizer (section 1.2).
RATIOS = {f"anthropic/{one.id}": 3.3 for one in ANTHROPIC if one.id not in _FEWER}


def find(vendor: str, name: str) -> Family | None:
    """Find a vendor's model by id or alias."""
    return next((one for one in FAMILIES if one.vendor == vendor and name in (one.id, *one.aliases)), None)
