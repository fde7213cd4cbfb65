if __name__ != "scrollwork.tasks":
    raise ImportError("tasks/ is a part of scrollwork: import scrollwork.tasks")
