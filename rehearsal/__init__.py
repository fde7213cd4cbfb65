if __name__ != "scrollwork.rehearsal":
    raise ImportError("rehearsal/ is a part of scrollwork: import scrollwork.rehearsal")
