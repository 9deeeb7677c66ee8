ä = "€"  # €


class Größe:
    def β(self):
        return f"{self.β}€{{}}"
