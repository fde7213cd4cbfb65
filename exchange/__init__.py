if __name__ != "scrollwork.exchange":
    raise ImportError("exchange/ is a part of scrollwork: import scrollwork.exchange")
