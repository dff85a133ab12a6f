"""A 3D view of objects and a target. vispy is imported when the first view is made."""

from app.views.scene3d.delta import Delta
from app.views.scene3d.objects import SceneObject
from app.views.scene3d.view import SceneView

__all__ = ["Delta", "SceneObject", "SceneView"]
