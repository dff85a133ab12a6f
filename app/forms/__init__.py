"""Forms made from parameter declarations."""

from app.forms.param_form import ParamForm

__all__ = ["ParamForm"]
