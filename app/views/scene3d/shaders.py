"""GLSL of the 3D view: one program for surfaces, one for points, one for lines."""

SURFACE_VERTEX = """
uniform mat4 u_model; uniform mat4 u_view; uniform mat4 u_projection; uniform mat3 u_normal;
uniform float u_inflate; uniform float u_size;
attribute vec3 a_position; attribute vec3 a_normal; attribute vec3 a_color;
varying vec3 v_normal; varying vec3 v_color; varying vec3 v_scene;
void main() {
    vec4 scene = u_model * vec4(a_position, 1.0);
    v_normal = u_normal * a_normal;
    v_color = a_color;
    v_scene = scene.xyz;
    vec4 clip = u_projection * u_view * scene;
    if (u_inflate > 0.0) {
        vec4 ahead = u_projection * u_view * vec4(scene.xyz + normalize(v_normal + vec3(1e-9)) * 1e-3, 1.0);
        vec2 shift = ahead.xy / ahead.w - clip.xy / clip.w;
        float size = length(shift);
        if (size > 1e-9) clip.xy += shift / size * u_inflate * clip.w;
    }
    gl_Position = clip;
    gl_PointSize = u_size;
}
"""

SURFACE_FRAGMENT = """
uniform vec4 u_color; uniform float u_use_vertex_color; uniform vec3 u_eye; uniform vec3 u_key;
uniform vec4 u_clip; uniform float u_flat; uniform float u_rim;
varying vec3 v_normal; varying vec3 v_color; varying vec3 v_scene;
void main() {
    if (dot(u_clip.xyz, v_scene) > u_clip.w) discard;
    vec3 base = mix(u_color.rgb, v_color, u_use_vertex_color);
    vec3 color = base;
    if (u_flat < 0.5) {
        vec3 eye = normalize(u_eye - v_scene);
        vec3 n = normalize(v_normal + vec3(1e-9));
        if (dot(n, eye) < 0.0) n = -n;
        float key = max(dot(n, u_key), 0.0);
        float fill = 0.5 + 0.5 * n.z;
        float rim = pow(1.0 - max(dot(n, eye), 0.0), 3.0);
        color = base * (0.38 + 0.50 * key + 0.16 * fill) + rim * u_rim * vec3(1.0);
    }
    gl_FragColor = vec4(color, u_color.a);
}
"""

POINT_VERTEX = """
uniform mat4 u_view; uniform mat4 u_projection; uniform float u_size;
attribute vec3 a_position; attribute vec3 a_color;
varying vec3 v_color; varying vec3 v_scene;
void main() {
    v_color = a_color; v_scene = a_position;
    gl_Position = u_projection * u_view * vec4(a_position, 1.0);
    gl_PointSize = u_size;
}
"""

POINT_FRAGMENT = """
uniform vec4 u_color; uniform float u_use_vertex_color; uniform vec4 u_clip;
varying vec3 v_color; varying vec3 v_scene;
void main() {
    if (dot(u_clip.xyz, v_scene) > u_clip.w) discard;
    gl_FragColor = vec4(mix(u_color.rgb, v_color, u_use_vertex_color), u_color.a);
}
"""

LINE_VERTEX = """
uniform mat4 u_view; uniform mat4 u_projection;
attribute vec3 a_position; attribute vec4 a_color;
varying vec4 v_color;
void main() { v_color = a_color; gl_Position = u_projection * u_view * vec4(a_position, 1.0); }
"""

LINE_FRAGMENT = """
varying vec4 v_color;
void main() { gl_FragColor = v_color; }
"""
