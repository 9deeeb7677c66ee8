package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// errorBanner is the release that OpenCV puts before each of its errors
// ("OpenCV(4.5.2) :-1: error: ...").
var errorBanner = lazyre.New(`\bOpenCV\((\d+\.\d+\.\d+)(?:-[\w.]+)?\)`)

// maxBanners bounds the search; an error repeats the same release.
const maxBanners = 16

// errorVersions reads releases out of errors, where the report states none.
func (p *parser) errorVersions() {
	if !strings.Contains(p.text, "OpenCV(") {
		return
	}
	for _, m := range errorBanner.FindAllStringSubmatchIndex(p.text, maxBanners) {
		if p.statesVersion("opencv-python") || p.statesVersion("opencv-python-headless") || p.statesVersion("opencv-contrib-python") {
			return
		}
		p.addVersion(Version{
			Name: "OpenCV", Dist: "opencv-python", Spec: p.text[m[2]:m[3]], Where: "error",
			Span: Span{m[0], m[1]},
		})
	}
}
