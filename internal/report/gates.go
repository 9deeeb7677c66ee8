package report

import "strings"

// Gates: a pattern costs some 100 ns a byte, a search for a word a hundredth of
// that, so that each dear pattern is asked only where a word stands without
// which it cannot match. The words are in lower case; a gate may let too much
// through, never too little (TestGates holds them against their patterns).

// gate is a set of words.
type gate []string

// open says whether the lower-case text has one of the words.
func (g gate) open(lower string) bool {
	for _, w := range g {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return false
}

// newGate takes the words of a gate, divided by bars.
func newGate(words string) gate { return strings.Split(words, "|") }

var (
	moodGate   = newGate("away|gone|disappear|vanish|fine|work|ok|correct|good|as before|pass|expected|help|fix|solve|unaffected|same|succeed|right|happy|accepted|supported|allowed|possible|fail|bro|break|wrong|crash|error|nan|bad|bug|regress|problem|issue|i get|i see|i got|you get|you see|you got|we get|we see|we got|am seeing|now get|rais|throw|hang|segfault|abort|differ|slow|nonsense|garbage|twice|silent|affected|stuck|lost|lose|leak|happen|occur|appear|start|introduced|any|red|still|missing|reproduc|warning|present|正|可以|解决|错|失败|崩|异常|问题|开始|卡|不|无法|没|未")
	seriesGate = newGate("smaller|lower|larger|bigger|higher|greater|drop|decreas|increas|fall|shrink|declin|go down|goes down|going down|go up|goes up|going up|grow|rise|shrinking|below|above|less")
	cueGate    = newGate("versus|vs|compared|opposed|relative|against|than|last|latest|newest|previous|first|regress|bro|break|introduced|start|since|not|before|prior|after|until|up to|from|as of|older|earlier")
	osGate     = newGate("ubuntu|debian|fedora|centos|rhel|arch|alpine|mac|os x|windows|linux|wsl")
	deviceGate = newGate("gpu|cpu|tpu|mps|cuda")
	commitGate = newGate("commit|revision|sha|git hash")
	errorGate  = newGate("error|xception|rais|throw|threw|reject|warning")
	labelGate  = newGate("expected|actual|current|observed|environment|system|version|trace|error|reproduc|example|code|description|additional")
	frontGate  = newGate("title|subject|date|filed|created|opened|reported|submitted|label|repo")
	wantedGate = newGate("should|expect|ought|instead|correct|right|true|proper|must|应|期|预")
	cameGate   = newGate("but|got|actual|return|give|print|yield|output|produce|show|get|see|实际|输出|得到|返回|结果")
	wishGate   = newGate("should|must|xpect|ought")
)

// lowered is the text in lower case, ASCII letters only, so that positions stay.
func lowered(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}
