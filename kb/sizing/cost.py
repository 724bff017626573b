"""Energy and price, where the catalogue holds the figures: cards × rated power, cards × price."""

from __future__ import annotations

from kb.sizing.accelerator import Accelerator
from kb.sizing.bounds import Bounds
from kb.sizing.line import Input, Line, Note

JOULES_PER_KWH = 3.6e6


def estimate_power(card: Accelerator, cards: int) -> Line | None:
    """Watts of the cards at their rated power; `None` where it is not published."""
    tdp = card.figure("tdp_w")
    if tdp is None:
        return None
    inputs = (Input("cards", Bounds.exactly(cards), basis="derived"), tdp)
    return Line("power", tdp.value * cards, "W", "{cards} × {tdp_w}", inputs, (Note("cards_only"),))


def estimate_energy(power: Line, tokens_s: Bounds) -> Line:
    """KWh for a million tokens at rated power."""
    million = 1e6 / JOULES_PER_KWH
    value = Bounds(power.value.low / tokens_s.high * million, power.value.high / tokens_s.low * million)
    inputs = (
        Input("power", power.value, "W", "derived"),
        Input("tokens_s", tokens_s, "tokens/s", "derived"),
    )
    return Line("energy", value, "kWh", "{power} × 10⁶ / {tokens_s} / (3.6 × 10⁶)", inputs, (Note("at_rated_power"),))


def estimate_price(card: Accelerator, cards: int) -> Line | None:
    """Dollars of the cards alone; `None` where no price is published."""
    price = card.figure("price_usd")
    if price is None:
        return None
    inputs = (Input("cards", Bounds.exactly(cards), basis="derived"), price)
    kind = "street_price" if price.figure and "street_price" in price.figure.qualifiers else "list_price"
    return Line("price", price.value * cards, "USD", "{cards} × {price_usd}", inputs, (Note(kind),))
