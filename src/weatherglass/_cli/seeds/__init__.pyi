from .group import seeds as seeds
