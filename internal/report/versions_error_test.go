package report

import (
	"strings"
	"testing"
)

func TestErrorVersions(t *testing.T) {
	const banner = "cv2.error: OpenCV(4.5.2) :-1: error: (-5:Bad argument) in function 'line'\n> Overload resolution failed:\n"
	for name, c := range map[string]struct{ text, want string }{
		"in a traceback":           {"It fails.\n\n```\nTraceback (most recent call last):\n  File \"a.py\", line 2, in <module>\n    cv.line(f, p, q, 1)\n" + banner + "```\n", "4.5.2 partial"},
		"in prose":                 {"It fails with " + banner, "4.5.2 partial"},
		"in a traceback, repeated": {"```\n" + banner + "\n" + banner + "```\n", "4.5.2 partial"},
		"a build of the source":    {"```\ncv2.error: OpenCV(4.5.4-dev) /tmp/x.cpp:12: error: x\n```\n", "4.5.4 partial"},
		"another package of it":    {"```\nopencv-python-headless==4.6.0.66\n```\n\n```\n" + banner + "```\n", ""},
		"stated as well":           {"```\nopencv-python==4.5.2.54\n```\n\n```\n" + banner + "```\n", "4.5.2.54 exact"},
		"no version":               {"OpenCV() and OpenCV(img) fail", ""},
	} {
		var got []string
		for _, v := range Parse([]byte("# It breaks\n\n"+c.text), Source{}).Versions {
			if v.Dist == "opencv-python" && v.Role == RoleStated {
				got = append(got, v.Spec+" "+string(v.Kind))
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
