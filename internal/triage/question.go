package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	featureTitle = lazyre.New(`(?i)(^\W*(feature|enhancement|proposal|rfc|wish)\b( request)?\W|\bfeature request\b|^\W*(please )?(add|support|implement|allow|expose|consider|introduce)\b|\bit would be (nice|great|useful|helpful)\b|^\W*(feature|request for|support for)\b)`)
	askTitle     = lazyre.New(`(?i)(^\W*(question|usage|help|how ?to|docs?|documentation)\b\W|^\W*(how (do|can|to|should|would|is|are)|what('s| is| are| does)|where (is|are|can|do)|which|when (should|is|will)|is (there|it possible)|can (i|we|someone|anyone)|could (someone|anyone)|does (anyone|anybody))\b)`)
	featureLabel = lazyre.New(`(?i)^(.*[:/ -])?(feature|enhancement|feature[ _-]request|question|support|documentation|docs|discussion|usage)$`)
	// intendedLabel is a maintainer's word that it is no fault.
	intendedLabel = lazyre.New(`(?i)^(.*[:/ -])?(not[ _-]a[ _-]bug|working[ _-]as[ _-](intended|designed)|by[ _-]design|expected[ _-]behaviou?r|intended( behaviou?r)?)$`)
	// asksWhich asks whether something is a bug and says of nothing that it is one.
	// With a script there is something to look at, and it is looked at.
	asksWhich = lazyre.New(`(?i)\b(?:(?:if|whether) (?:this|that|it)(?: is)?|is (?:this|that|it)) an? (?:known )?bug\b(?: or (?:is it )?(?:an? )?(?:intended|intentional|expected|desired|deliberate|feature|by design)\b)?|\b(?:intended|intentional|expected|desired|deliberate|by design|a feature) or an? bug\b|\ba bug or (?:an? )?(?:intended|intentional|expected|desired|deliberate|feature|by design)\b`)
	// failing are words of a failure: with any of them a report is no mere question.
	failing = lazyre.New(`(?i)\b(bug|fails?|failed|failing|failure|crash\w*|\w*errors?|\w*exceptions?|raises?|raised|wrong|incorrect\w*|broken|breaks?|regression|nans?|inf|unexpected\w*|segfault\w*|hangs?|leaks?|doesn't work|does not work|not working|inconsistent\w*|silently|mismatch\w*|diverg\w+)\b|错误|报错|失败|崩溃|异常|不正确|不一致|卡死|泄漏|エラー|失敗|ошибк|не работает`)
)

// notABug says why a report speaks of no failure, nil when it may: a feature
// request or a plain question, and nothing in it that failed. It is
// deliberately shy: a numerical difference inside the tolerance is found by
// running, never here.
func notABug(rd *reading, c claims) *Reason {
	for _, l := range rd.r.Labels {
		if intendedLabel.MatchString(l) {
			return &Reason{Text: "documented or intended behaviour: its tracker labels it " + strings.ToLower(l)}
		}
	}
	if showsAnything(rd, c) {
		return nil
	}
	title, prose := &rd.r.TitleSpan, rd.prose
	if rd.script.none() {
		prose = asksWhich.ReplaceAllString(prose, " ")
	}
	switch {
	case failing.MatchString(rd.r.Title), failing.MatchString(prose):
		return nil
	case featureTitle.MatchString(rd.r.Title):
		return &Reason{Text: "a feature request: no failure is described", Span: title}
	case askTitle.MatchString(rd.r.Title):
		return &Reason{Text: "a question: no failure is described", Span: title}
	}
	for _, l := range rd.r.Labels {
		if featureLabel.MatchString(l) {
			return &Reason{Text: "labelled " + strings.ToLower(l) + ", and no failure is described"}
		}
	}
	return nil
}

// showsAnything: there is a failure, or something that came and should not have.
func showsAnything(rd *reading, c claims) bool {
	if len(rd.r.Tracebacks) > 0 || len(c.actual) > 0 || len(c.actualExceptions()) > 0 || len(c.warnings) > 0 {
		return true
	}
	for _, v := range rd.r.Versions {
		if v.Role == report.RoleBad || v.Role == report.RoleGood {
			return true
		}
	}
	return false
}

// elsewhere are places where code may lie that is never fetched: a picture, a
// notebook, a gist, an attachment.
var elsewhere = lazyre.New(`(?i)(!\[[^\]]*\]\([^)]*\)|<img [^>]*>|https?://(colab\.research\.google\.com|gist\.github\.com|www\.kaggle\.com|pastebin\.com|drive\.google\.com|nbviewer\.\S+|codepen\.io|replit\.com)/\S*|https?://github\.com/\S+/(blob|tree|files)/\S+|https?://\S+\.(ipynb|zip|tar\.gz|py)\b|\b(see|in) (the )?(attach(ed|ment)|screenshot)\w*)`)
