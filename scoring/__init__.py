if __name__ != "scrollwork.scoring":
    raise ImportError("scoring/ is a part of scrollwork: import scrollwork.scoring")
