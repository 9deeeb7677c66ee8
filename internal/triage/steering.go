package triage

import (
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// Steering is text that speaks to the tool instead of the maintainer. It is
// data like any other and is never followed; it is looked for so that a user
// sees it, and because together with a script that reaches for secrets or the
// network it makes the report hostile. The patterns are deliberately narrow: a
// model's chat template in an honest report speaks of assistants as well.

// addressee is somebody who is no maintainer. A model, a tool and a system prompt
// are what honest reports are about; they count with a word that makes them the
// reader.
var addressee = lazyre.New(`(?i)(` +
	`\b(note|notice|message|instructions?|info(rmation)?|hint)[ ,:]+(to|for) (all |any |the |every )*` + reader + `\b` +
	`|\b(attention|hello|dear|hey)[ ,:]+((to|for) )?(all |any |the |every )*` + reader + `\b` +
	`|\bif you( are|'re)( an?| the)? (automat\w+|ai|llm|language model|assistant|agent|bot|coding agent|tool)\b` +
	`|\b(automat\w+|autonomous|ai|llm|coding) (assistants?|agents?|tools?|bots?|reviewers?|triagers?|systems?)( that| which| who|[,:])? ?(\w* ?(process|processes|processing|read|reads|reading|handl\w+|triag\w+|reproduc\w+|review\w*) (\w+ ){0,2}(this|issue|report|ticket|thread|repository)\b|\w* ?(should|must|please)\b)` +
	`|\byou are now\b|\bas an ai\b|\b(your|print|reveal|ignore|repeat)( \w+){0,2} system prompt\b` +
	`|(hinweis|nachricht|anweisung|achtung)\w* (f(ü|ue)r|an) (alle |die |automat\w+ )*(ki|assistent\w*|agent\w*|bots?)` +
	`|(nota|aviso|mensaje|instrucci\w+) para (los |las |el |la )*(asistentes?|agentes?|modelos?|ia|bots?)` +
	`|(note|message|avis|instructions?) (aux|pour les|à l') ?(assistants?|agents?|ia|bots?|modèles?)` +
	`|(nota|aviso|mensagem) para (os |as )*(assistentes?|agentes?|modelos?|ia|bots?)` +
	`|(nota|avviso) per (gli |i |le )*(assistenti|agenti|modelli|ia|bot)` +
	`|(致|给|請|请)(所有)?(自动化?|AI|人工智能)?(助手|代理|机器人|模型)|(AI|人工智能)(助手|代理|模型)` +
	`|(ИИ|AI)[- ]?(ассистент|агент|бот|помощник)|(для|внимание)[ ,:]+(ассистент|агент|бот|ИИ)` +
	`|(AI|自動)?(アシスタント|エージェント)(へ|への|は)|AI ?(어시스턴트|에이전트|비서))`)

// reader is who is spoken to.
const reader = `(((automat\w+|autonomous|ai|llm|coding|language|triage|review)[ -])+(assistants?|agents?|bots?|ais?|llms?|tools?|models?|copilots?|systems?)|assistants?|agents?|bots?|ais?|llms?|copilots?)`

// override asks to forget the rules: no honest report has a use for it.
var override = lazyre.New(`(?i)(` +
	`\b(ignore|disregard|forget|override|bypass)( all| any| the| your| every| these)* (previous|prior|above|earlier|preceding|former|system|safety|existing|current)( \w+)? ?(instructions?|rules?|prompts?|guidelines?|directions?|constraints?)\b` +
	`|\bignore your (instructions|rules|guidelines|training)\b` +
	`|ignorier\w*( alle| die| s(ä|ae)mtliche)* (vorherig|bisherig|vorangegangen|obig|fr(ü|ue)her)\w* (anweisung|regel|instruktion)\w*` +
	`|ignor(a|e|ad|ar)( todas| todos)?( las| los)? (instrucciones|reglas|indicaciones) (anteriores|previas)` +
	`|ignor(ez|e|er)( toutes)?( les)? (instructions|consignes|règles) (précédentes|antérieures|ci-dessus)` +
	`|ignor(e|ar|em)( todas)?( as)? (instruções|regras) (anteriores|prévias)` +
	`|ignora( tutte)?( le)? (istruzioni|regole) (precedenti|sopra)` +
	`|(忽略|无视|無視)(所有|全部|之前|以上|先前|前面|的)*(指令|指示|说明|规则|提示)` +
	`|игнорируй(те)?( все)?( предыдущие| прежние| вышеуказанные)+ (инструкции|указания|правила)` +
	`|(以前|これまで|上記|前)の(すべての)?(指示|命令|ルール)(は|を)?(すべて)?無視` +
	`|(이전|위의|앞의)( 모든)? ?(지시|명령|규칙)[^ .]{0,4}( 모두)? ?무시)`)

// wish is one thing that a steering text wants.
type wish struct {
	what string
	form *lazyre.Regexp
}

// wishes by kind. Words of the field are none: tensors lie on the host, are copied
// from it and to the device, a network is enabled, tokens are printed, a container
// is left out to see whether it matters. Where such a word is all there is, the
// text must order somebody to do it.
var wishes = []wish{
	{"a verdict", lazyre.New(`(?i)` +
		`\b(mark|label|report|declare|classify|close|confirm|treat|record|set)( \w+){0,4} as (reproduced|confirmed|verified|approved|a regression)\b` +
		`|\b(mark|label|report|declare|classify|close|confirm|treat|record|set) (it|this|that|them|(the|this|that) (\w+ )?(issue|report|bug|ticket|case|result|verdict|run)) as (\w+ )?(fixed|valid|passed|safe)\b` +
		`|\b(als|como|comme|come|como) (reproduziert|best(ä|ae)tigt|reproducido|confirmado|reproduit|confirmé|riprodotto|reproduzido)\b` +
		`|(标记|標記|标为)为?(已复现|已重现|已确认)`)},
	{"trust", lazyre.New(`(?i)\b(already|pre-?) ?(been )?approved\b`)},
	{"less isolation", lazyre.New(`(?i)` +
		`\b(without|outside( of)?|disabl\w+|turn(ing)? off|skip(ping)?|leave|escape|no)( \w+){0,2} (sandbox\w*|isolation|network restrictions?)\b|--unsafe-no-sandbox\b` +
		`|` + order + `(on|directly on|outside of|outside|without) (the |any |a )?(host|containers?)\b` +
		`|\b(ohne|sin|sans|senza|sem) (die |eine |la |le |il |o |una |un )*sandbox\b` +
		`|不要?使用沙箱|关闭沙箱|без песочницы|サンドボックス(なし|を使わず|を無効)`)},
	{"the network", lazyre.New(`(?i)` +
		`\bwith (the |full )?(network|internet) access( (turned|switched))?( on| enabled)?\b|\bwith (the |full )?(internet|network) (turned |switched )?(on|enabled)([.,;!]|$| (and|or|but|so|then)\b)` +
		`|` + order + `with (the |full )?(internet|network) (turned |switched )?(on|enabled)\b|\benable (the )?(network|internet) access\b`)},
	{"fewer checks", lazyre.New(`(?i)\bwithout (any )?(further |more |additional )?(verification|questions?|confirmation|review)\b|\bwithout (any )?(further |more |additional )checks?\b`)},
	{"secrets", lazyre.New(`(?i)` +
		`\b(include|put|print|send|post|upload|paste|return|reveal|add|attach|show)( \w+){0,6} (environment (values?|variables?)|credentials?|(api|ssh|access) keys?|passwords?|(access|api|auth\w*|session|github|hf|hugging ?face) tokens?)\b` +
		`|\b(include|put|send|post|upload|paste|reveal|attach) (\w+ ){0,2}(your|all|any|the (user|host|machine)'?s?) (secrets?|tokens?)\b`)},
	{"silence", lazyre.New(`(?i)\bdo not (tell|inform|mention|ask) (the )?(user|maintainers?|anyone)\b`)},
}

// order is a verb that begins a sentence or follows a plea, with what is to be run.
const order = `(?:^|[.:;,!?–-] ?|\b(?:please|must|should|shall|so|then|and|to) )(?:directly |just |only )?(?:run|execute|start|launch|reproduce|try|test) (?:it|this|that|them|everything|(?:the|this|that|my|our|any|every) (?:\w+ )?(?:script|code|snippet|example|program|reproducer|file|command|tests?))(?: \w+){0,3} `

// steeringIn lists the steering texts of a report with their paragraphs.
func steeringIn(rd *reading) []Reason {
	var found []Reason
	text := visible(rd.r)
	for _, p := range paragraphs(text) {
		s := report.Span{Start: p[0], End: p[1]}
		if why := steers(text[p[0]:p[1]]); why != "" {
			found = append(found, Reason{Text: why, Span: &s})
		}
	}
	for _, m := range encoded.FindAllStringIndex(rd.r.Text, maxEncoded) {
		if hidden, ok := decode(rd.r.Text[m[0]:m[1]]); ok {
			if why := steers(hidden); why != "" {
				found = append(found, Reason{Text: why + " (hidden as base64)", Span: &report.Span{Start: m[0], End: m[1]}})
			}
		}
	}
	return found
}

// steers says why a text is one that speaks to the tool, "" when it is not:
// it asks to forget the rules, or it addresses a tool and wants something, or
// it wants three such things at once. Kinds of wishes are counted: however often
// one word comes, it is one.
func steers(text string) string {
	text = unhide(text)
	if mayMatch(text, overrideHints) && override.MatchString(text) {
		return "asks to ignore the rules"
	}
	if !mayMatch(text, wishHints) {
		return ""
	}
	wanted := 0
	for _, w := range wishes {
		if w.form.MatchString(text) {
			wanted++
		}
	}
	switch {
	case wanted >= 3:
		return "asks for a verdict or for less isolation"
	case wanted > 0 && addressee.MatchString(text):
		return "speaks to automated tools and tells them what to do"
	}
	return ""
}

// The hints hold, for each pattern in Latin letters, a part that each of its
// matches must have; they spare the costly search of most paragraphs.
var (
	overrideHints = []string{"ignor", "disregard", "forget", "override", "bypass"}
	wishHints     = []string{" as ", "host", "sandbox", "isolation", "container", "network", "internet", "without",
		"environment", "secret", "token", "credential", " key", "password", "approved", "do not", "als ", "como ", "comme ", "come "}
)

// mayMatch: a hint is there, or letters that the hints do not cover.
func mayMatch(text string, hints []string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] >= 0x80 {
			return true
		}
	}
	lower := strings.ToLower(text)
	for _, h := range hints {
		if strings.Contains(lower, h) {
			return true
		}
	}
	return false
}

// visible is the report's text with the code blanked out that no reader would
// take as words to him: statements and string literals. Comments stay.
func visible(r *report.Report) string {
	text := []byte(r.Text)
	for _, b := range r.Blocks {
		if b.Kind != report.BlockPython && b.Kind != report.BlockREPL {
			continue
		}
		if !b.Span.Within(r.Text) {
			continue
		}
		code := r.Text[b.Span.Start:b.Span.End]
		keep := pysyntax.Parse(code).Comments
		blank(text, b.Span.Start, b.Span.End)
		for _, c := range keep {
			if c.Span.Start >= 0 && c.Span.End <= len(code) && c.Span.Start < c.Span.End {
				copy(text[b.Span.Start+c.Span.Start:], code[c.Span.Start:c.Span.End])
			}
		}
	}
	return string(text)
}

// paragraphs are the byte ranges between empty lines.
func paragraphs(text string) [][2]int {
	var found [][2]int
	start := 0
	for start < len(text) {
		end := strings.Index(text[start:], "\n\n")
		if end < 0 {
			end = len(text) - start
		}
		if strings.TrimSpace(text[start:start+end]) != "" {
			found = append(found, [2]int{start, start + end})
		}
		start += end + 2
	}
	return found
}

// unhide undoes what hides words from a pattern: characters without width,
// the invisible tag block that mirrors ASCII, full-width letters, quote marks
// and line breaks inside a sentence.
func unhide(text string) string {
	var b strings.Builder
	space := false
	for _, c := range text {
		switch {
		case c >= 0xE0020 && c <= 0xE007E:
			c -= 0xE0000
		case c >= 0xFF01 && c <= 0xFF5E:
			c -= 0xFEE0
		case c >= 0x200B && c <= 0x200F, c >= 0x2060 && c <= 0x2064, c == 0xFEFF, c == 0x00AD:
			continue
		}
		if unicode.IsSpace(c) || c == '>' || c == '*' || c == '#' {
			space = true
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(c)
	}
	return b.String()
}

// maxEncoded bounds the decoding of a report full of base64. A guess.
const maxEncoded = 200

var encoded = lazyre.New(`[A-Za-z0-9+/_-]{32,}={0,2}`)

// decode is the text behind base64, when it is text.
func decode(s string) (string, bool) {
	s = strings.NewReplacer("-", "+", "_", "/", "=", "").Replace(s)
	raw, err := base64.RawStdEncoding.DecodeString(s[:len(s)-len(s)%4])
	if err != nil || !utf8.Valid(raw) || len(raw) == 0 {
		return "", false
	}
	for _, c := range string(raw) {
		if !unicode.IsPrint(c) && !unicode.IsSpace(c) {
			return "", false
		}
	}
	return string(raw), true
}
