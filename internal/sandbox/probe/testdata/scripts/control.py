from repgen_probe import observe, control
import repgen

observe("control", control)
observe("same", repgen.control is control)
observe("kind", type(control).__name__)
