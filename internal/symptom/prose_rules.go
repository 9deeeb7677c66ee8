package symptom

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// proseRule is one way to talk about one kind of symptom. Patterns read
// lower-case text.
type proseRule struct {
	kind   Kind
	signal string
	hint   hint // some part of it stands in every match
	re     *lazyre.Regexp
	// What stands around a match and takes its meaning: anywhere near, right
	// before it, right behind it. nil: nothing does.
	unless, notAfter, notBefore *lazyre.Regexp
	// notIn takes it when it stands inside the match.
	notIn *lazyre.Regexp
}

// Parts that several patterns share.
const (
	few    = `(?:[\w.\-]+\s+){0,3}`
	isNot  = `(?:(?:do|does|did|is|are|was|were|will|would|can|could)(?:\s+not|n['’]?t)|cannot|never|barely|hardly|fails?\s+to|failed\s+to|not)\s+`
	result = `(?:results?|values?|outputs?|answers?|predictions?|numbers?|scores?|metrics?|loss(?:es)?|grad(?:ient)?s?|accurac(?:y|ies)|probabilit(?:y|ies)|log[- ]?prob\w*|calculations?|computations?|counts?|ordering|order|index|indices|sums?|means?|variances?|std|labels?|statistics|distances?|samples?|norms?|weights?|coordinates|matrix|coefficients?|embeddings?|logits)`
	curve  = `(?:loss(?:es)?|accurac(?:y|ies)|acc|rewards?|returns?|scores?|metrics?|perplexity|f1|auc|validation error|training error)`
	grow   = `(?:grow(?:s|ing|n|th)?|grew|increas(?:e|es|ed|ing)|ris(?:es|ing)|climb(?:s|ing)?|accumulat(?:es|ed|ing)|explod(?:es|ed|ing)|blow(?:s|ing)? up|go(?:es|ing) up|creep(?:s|ing)? up|balloon(?:s|ing)?)`
)

// proseRules are asked in this order: crashes, then what is most telling. The
// words were collected from reading public trackers; none is complete.
var proseRules = []proseRule{
	// Crashes, by the shell's words, the kernel's, Windows' and the exit code.
	{kind: Signal, signal: "SIGSEGV", hint: hasAny("seg", "access violation", "139", "-11", "0xc0000005", "段错误"),
		re: either(
			`\bseg(?:mentation)?[- ]?faults?(?:ed|s|ing)?\b`,
			`\bsigsegv\b`,
			`\baccess violation\b`,
			`\b0xc0000005\b`,
			codeOf+`(?:139|-11)\b`,
			`段错误`,
		)},
	{kind: Signal, signal: "SIGABRT", hint: hasAny("abort", "134", "-6", "check failed", "heap corruption", "double free"),
		re: either(
			`\baborted \(core dumped\)`,
			`\bsigabrt\b`,
			`\babort trap\b`,
			`\bcheck failed:`,
			`\b(?:process|python|interpreter|program|it|script)\s+(?:is\s+|was\s+|gets?\s+)?abort(?:s|ed)\b`,
			`\bdouble free\b`,
			`\bheap corruption\b`,
			codeOf+`(?:134|-6)\b`,
		),
		unless: lazyre.New(`\baborted (?:by the user|the (?:run|training))`)},
	{kind: Signal, signal: "SIGFPE", hint: hasAny("floating", "136", "sigfpe"),
		re: lazyre.New(`\bfloating[- ]point exception\b|\bsigfpe\b|` + codeOf + `(?:136|-8)\b`)},
	{kind: Signal, signal: "SIGBUS", hint: hasAny("bus error", "sigbus", "135"),
		re: lazyre.New(`\bbus error\b|\bsigbus\b|` + codeOf + `(?:135|-7)\b`)},
	{kind: Signal, signal: "SIGILL", hint: hasAny("illegal", "sigill", "132"),
		re: lazyre.New(`\billegal (?:hardware )?instruction\b|\bsigill\b|` + codeOf + `(?:132|-4)\b`)},
	// A kill is memory's when the sentence says so; alone it is only a signal.
	{kind: Memory, hint: hasAny("kill"),
		re: either(
			`\boom[- ]?kill(?:ed|er|s)?\b`,
			`\bkilled\b[^.]{0,40}\b(?:memory|oom|ram)\b`,
			`\b(?:memory|oom|ram)\b[^.]{0,40}\bkilled\b`,
		)},
	{kind: Signal, signal: "SIGKILL", hint: hasAny("kill", "137", "-9"),
		re: either(
			`^\s*[\x60*]*killed[\x60*.]*\s*$`,
			`\b(?:gets?|got|is|was|being|are|process|just)\s+(?:\w+\s+)?[\x60'"]?killed\b`,
			`["'\x60]killed["'\x60]`,
			`\bsigkill\b`,
			codeOf+`(?:137|-9)\b`,
		),
		unless: lazyre.New(`\b(?:if|unless)\s+(?:\w+\s+){0,3}(?:is|gets|was)\s+killed`)},
	// A crash whose signal nobody names.
	{kind: Signal, hint: hasAny("core", "kernel", "interpreter", "traceback"),
		re: either(
			`\bcore[- ]dump(?:ed|s)?\b`,
			`\bkernel (?:\w+ )?(?:dies|died|crash(?:es|ed)?|restart(?:s|ed)?|appears to have died)\b`,
			`\b(?:crash(?:es|ed)?|kills?) the (?:\w+ )?(?:interpreter|kernel|process)\b`,
			`\b(?:interpreter|process) (?:itself )?(?:crash(?:es|ed)|dies|died)\b`,
			`\bcrash(?:es|ed)? without (?:a |any )?(?:traceback|error|message)\b`,
		)},

	// Something becomes NaN: a result, whatever else the sentence says.
	{kind: NonFinite, hint: hasAny("nan", "inf", "finite", "not a number", "not-a-number"),
		re:    lazyre.New(becomes + `(?:[\w.,'\x60(\-]+\s+){0,4}?[\x60'"(\[+\-]*(?:(?:np|numpy|jnp|math|torch)\.)?` + nonFinite),
		notIn: lazyre.New(`\b(?:no|not|never|without|instead of|rather than)\b|n['’]t\b`)},
	// NaN in any other sentence, unless that speaks of the input, a mask or an
	// argument, where it is meant to be.
	{kind: NonFinite, hint: hasAny("nan", "inf", "finite", "not a number", "not-a-number"),
		re:        lazyre.New(nonFinite),
		unless:    lazyre.New(`\b(?:inputs?|missing|dataset|dataframe|column|my data|training data|raw data|mask(?:ed|s|ing)?|fill(?:ed|s|ing)?|replac(?:e|ed|es|ing)|handl(?:e|es|ing)|ignor(?:e|es|ing)|allow(?:s|ed)?|drop(?:s|ping)?|skip(?:s|ping)?|support(?:s|ed)?|pass(?:ed|es|ing)|treat(?:s|ed|ing)?|impute\w*|nan[-_ ]policy)\b`),
		notAfter:  lazyre.New(`(?:[\w)]\.|float\(['"\x60]?[+-]?|\bset\s+(?:\S+\s+){0,3}to\s+[\x60+-]*|\bif\s+(?:\S+\s+){0,4}|['"\x60]\w+['"\x60]=)$`),
		notBefore: lazyre.New(`^(?:[.(=]\w|\s*norm\b)`)},

	// A curve that does not move, or stands still.
	{kind: NoLearning, hint: hasAny("loss", "acc", "reward", "return", "score", "metric", "perplexity", "f1", "auc", "error"),
		re:     lazyre.New(`\b` + curve + `\s+` + few + isNot + few + `(?:decreas\w+|fall\w*|drop\w*|go(?:ing)?\s+(?:down|up)|improv\w+|chang\w+|reduc\w+|converg\w+|updat\w+|mov(?:e|es|ing)|learn\w*|increas\w+|ris(?:e|ing))\b`),
		unless: lazyre.New(`\bearly[- ]?stopp?ing\b|\bpatience\b`)},
	{kind: NoLearning, hint: hasAny("loss", "acc", "reward", "return", "score", "metric", "perplexity", "f1", "auc", "error"),
		re: lazyre.New(`\b` + curve + `\s+(?:[\w.\-]+\s+){0,4}?(?:stuck|stays?|staying|stayed|remains?|remained|flat|plateaus?|plateaued|stagnat\w+|frozen|stalls?|unchanged|keeps?\s+(?:on\s+)?(?:increasing|rising|growing)|diverg\w+|(?:is|are|was)\s+(?:always\s+)?(?:constant|the\s+same\s+(?:for|in|every|each|after)))\b`)},
	// It does not converge. "learn" is also half of a package's name.
	{kind: NoLearning, hint: hasAny("converge", "learn", "train", "diverg", "local min"),
		re: either(
			`\b`+isNot+`(?:\w+\s+)?(?:converg(?:e|es|ing|ed)|learn(?:s|ing)?|train(?:s)?(?:\s+(?:at all|any\s?more|anymore|properly|correctly))|improve(?:s)?)\b`,
			`\bstuck in (?:a )?local minim\w+`,
			`\b(?:training|model|optimi[sz]er|optimi[sz]ation|fit)\s+(?:\w+\s+)?diverg(?:es|ed|ing)\b`,
			`\bnon-?convergence\b`,
		),
		unless: lazyre.New(`\b(?:scikit|sk|machine|deep|federated|reinforcement|transfer|self-supervised)[- ]learn`)},
	// Gradients that are missing or zero.
	{kind: NoLearning, hint: hasAny("grad"),
		re: either(
			`\b(?:\.?grads?|gradients?)[\x60]?\s+(?:[\w.\x60\-]+\s+){0,4}?(?:(?:is|are|was|were|be|being|all|always|becomes?|returns?|to)\s+)(?:\w+\s+)?[\x60]?(?:none|zeros?|0(?:\.0*)?|missing|lost|(?:not|never)\s+(?:computed|flowing|propagated|back-?propagated|tracked))\b`,
			`\b(?:do(?:es)?|did)(?:\s+not|n['’]t)\s+(?:back-?)?(?:propagate|have|receive|get|compute|return)\s+(?:\w+\s+)?grad(?:ient)?s?\b`,
			`\bno\s+grad(?:ient)?s?\s+(?:flow\w*|for|is|are|provided|comput\w+|reach\w*)\b`,
			`\b(?:zero|vanishing|missing|none)\s+grad(?:ient)?s\b`,
			`\bzero\s+gradient\b`,
			`\bgradients?\s+(?:\w+\s+)?(?:do(?:es)?|did)(?:\s+not|n['’]t)\s+(?:flow|propagate|reach|back-?propagate)\b`,
			`\.grad[\x60]?\s+(?:is\s+)?none\b`,
		)},
	// Parameters that never change.
	{kind: NoLearning, hint: hasAny("weight", "param", "predict"),
		re: either(
			`\b(?:weights?|param(?:eter)?s?|layers?)\s+`+few+`(?:(?:do|does|did|are|is|were|was)(?:\s+not|n['’]?t)|never)\s+(?:\w+\s+)?(?:chang\w+|updat\w+|mov(?:e|ing)|train(?:ed|ing)?|learn\w*)\b`,
			`\b(?:weights?|parameters?)\s+(?:\w+\s+)?(?:stay|remain)s?\s+(?:the same|unchanged|constant|at)\b`,
			`\bpredicts?\s+(?:\w+\s+)?(?:the\s+same|one|a single|only one)\s+(?:class|label|value|output)\b`,
		)},

	// The word itself. A bug that is "not reproducible" is another matter, so
	// results, runs and the like have to be named.
	{kind: Nondeterminism, hint: hasAny("determin", "reproducib", "race cond", "data race"),
		re: either(
			`\bnon-?\s?determin\w+`,
			`\bnot\s+(?:\w+\s+){0,2}determin\w+`,
			`n['’]t\s+(?:\w+\s+)?determin\w+`,
			`\bindetermin\w+`,
			`\b(?:irreproducib|unreproducib|non-?reproducib)\w+`,
			`\b(?:results?|outputs?|runs?|training|experiments?|samples?|sampling|initiali[sz]ation|seed\w*|values?|numbers?|split|shuffl\w+|predictions?|embeddings?)\s+(?:\w+\s+){0,3}(?:not|n['’]t)\s+(?:\w+\s+){0,2}reproducible\b`,
			`(?:is|are)n['’]t\s+reproducible\b`,
			`\b(?:can\s?not|can['’]t|could\s+not|couldn['’]t)\s+get\s+reproducible\b`,
			`\bnot\s+(?:\w+\s+)?reproducible\s+(?:results?|outputs?|even|across|between|with|despite)\b`,
			`\black of (?:determinism|reproducibility)\b`,
			`\brace conditions?\b`,
			`\bdata race\b`,
		)},
	// Different from run to run.
	{kind: Nondeterminism, hint: hasAny("differ", "vari", "vary", "chang", "inconsist", "random", "not the same"),
		re: either(
			`\b(?:differ(?:s|ent|ently)?|var(?:y|ies|ying)|chang(?:es?|ing)|inconsistent|random|not the same)\b[^.;]{0,50}?\b(?:every|each|between|across|on (?:every|each)|from one)\s*(?:\w+\s+){0,2}(?:time|runs?|calls?|executions?|invocations?|restarts?|process(?:es)?|sessions?|trials?)\b`,
			`\b(?:differs?|vary|varies|changes?|different)\s+(?:\w+\s+)?from run to run\b`,
			`\b(?:every|each)\s+(?:time|run|call|execution)\b[^.;]{0,40}?\b(?:different|differs|changes|another|varies)\b`,
		)},
	// In spite of a seed.
	{kind: Nondeterminism, hint: hasAny("seed"),
		re: either(
			`\bseed(?:s|ed|ing)?\b[^.;]{0,70}?\b(?:different|differ|differs|not\s+(?:be\s+)?(?:the same|identical|equal)|vary|varies|random(?:ly)?|ignored|no effect|not\s+(?:respected|used|hono(?:u)?red|working|applied)|(?:does|do)(?:\s+not|n['’]t)\s+(?:work|help|have))\b`,
			`\b(?:different|differ|differs|random|vary|varies|changes)\b[^.;]{0,60}?\b(?:same|fixed|identical|despite|even with|set(?:ting)?|although|even though)\b[^.;]{0,25}?\bseed(?:s|ed|ing)?\b`,
			`\bignor(?:es|ed|ing)\s+(?:\w+\s+)?(?:random[_ ])?(?:seed|random[_ ]state)\b`,
		)},

	// A leak of memory, not of data, labels or secrets.
	{kind: Memory, hint: hasAny("leak"),
		re:       lazyre.New(`\bleak(?:s|ed|ing|age)?\b|\b(?:memory|ram|vram)[- ]?leaks?\b`),
		notAfter: lazyre.New(`\b(?:data|target|label|information|info|train|test|secret|token|privacy|time|future|abstraction|scope|namespace|gradient|event loop|resource|state)[- ]$`)},
	// Memory that runs out, then memory that grows, is high or is not freed.
	{kind: Memory, hint: hasAny("memory", "ram", "rss", "oom"),
		re: either(
			`\bout[- ]of[- ](?:\w+\s+)?(?:memory|ram|vram)\b`,
			`\booms?\b`,
			`\boom(?:ed|ing|'d)\b`,
			`\bmemoryerrors?\b`,
			`\b(?:run|runs|ran|running)\s+out\s+of\s+(?:\w+\s+)?(?:memory|ram)\b`,
		),
		notAfter: lazyre.New(`\b(?:dram|in)[- ]$`)},
	{kind: Memory, hint: hasAny("memory", "ram", "rss"),
		re: either(
			`\b(?:memory|ram|vram|rss)\b(?:\s+[\w\-]+){0,4}?\s+`+grow+`\b`,
			`\b`+grow+`\b[^.;,]{0,30}?\b(?:memory|ram|vram|rss)\b`,
			`\b(?:high|huge|excessive|massive|enormous|too much|unbounded|insane|large|crazy)\s+(?:\w+\s+){0,2}(?:memory|ram|vram)\b`,
			`\b(?:memory|ram|vram)\s+(?:usage|consumption|footprint|use)\s+(?:is|goes|gets|was|becomes?)\s+(?:\w+\s+)?(?:too\s+)?(?:high|huge|large|excessive|enormous|unbounded)\b`,
			`\b(?:memory|ram|vram)\s+(?:\w+\s+){0,2}(?:not|never|n['’]t)\s+(?:\w+\s+)?(?:freed|released|reclaimed|free|release)\b`,
			`\b(?:do(?:es)?(?:\s+not|n['’]t)|never|not)\s+(?:\w+\s+)?(?:free|release|freeing|releasing)\s+(?:\w+\s+){0,3}(?:memory|ram|vram)\b`,
			`\b(?:consum|us|eat|allocat|tak)(?:es?|ing|s)?\s+(?:up\s+)?(?:all|too much|way more|twice the|much more|more and more|\d+\s*(?:x|times) (?:more )?(?:the )?)\s*(?:\w+\s+){0,3}(?:memory|ram|vram)\b`,
		)},

	// "Never returns" only without an object: "never returns a list" is a value.
	{kind: Hang, hint: hasAny("hang", "hung", "deadlock", "dead lock", "never", "forever", "indefinite", "endless", "infinite loop", "unresponsive", "not responding", "terminat", "finish", "卡死", "卡住", "死锁"),
		re: either(
			`\bhang(?:s|ing)?\b`,
			`\bhung\b`,
			`\bdead[- ]?lock(?:s|ed|ing)?\b`,
			`\bnever\s+(?:\w+ly\s+)?(?:return(?:s|ed)?(?:\s*$|\s*[.,;:!)]|\s+(?:when|from|if|on|after|with|for)\b)|(?:finish(?:es|ed)?|terminat(?:es|ed|e)|complet(?:es|ed|e)|ends?|exits?|exited|stops?|comes? back|gets? past)\b)`,
			`\b(?:does|do|did|will|would)(?:\s+not|n['’]t)\s+(?:\w+\s+)?(?:terminate|finish|exit)\b`,
			`\b(?:block|wait|run|loop|spin|sit|stall)(?:s|ed|ing)?\s+(?:\w+\s+){0,3}?(?:forever|indefinitely|endlessly)\b`,
			`\b(?:infinite|endless|indefinite|never[- ]ending)\s+loop(?:s|ing)?\b`,
			`\bunresponsive\b`,
			`\bnot\s+responding\b`,
			`卡死`,
			`卡住`,
			`死锁`,
		),
		notAfter:  lazyre.New(`\b(?:low[- ])$`),
		notBefore: lazyre.New(`^\s+(?:nail|man|off|over)\b`)},
	// A loss can be stuck too, and so can the reporter.
	{kind: Hang, hint: hasAny("stuck", "stalls", "stalled"),
		re: lazyre.New(`\bstuck\b|\b(?:process|training|program|script|worker|it|job)\s+(?:\w+\s+)?stall(?:s|ed)\b`),
		unless: either(
			`\b`+curve+`\b[^.]{0,40}\bstuck\b`,
			`\bstuck (?:in|at) (?:a )?(?:local|\d+(?:\.\d+)?\s*%?\s*(?:accuracy|loss)|chance)`,
			`\b(?:i|we)(?:\s+am|\s+are|['’]m|['’]re)\s+(?:\w+\s+)?stuck\b`,
			`\bstuck with\b`,
			`\bstuck on (?:this|how|understanding)\b`,
		)},
	// Layers, trials and requirements are frozen on purpose.
	{kind: Hang, hint: hasAny("freez", "froze"),
		re: lazyre.New(`\bfreez(?:es?|ing)\b|\bfroze\b|\bfrozen\b`),
		unless: either(
			`\b(?:pip|conda)3?\s+freeze\b`,
			`\b(?:layers?|weights?|param(?:eter)?s?|backbone|encoder|embeddings?|requires_grad|graph|batch ?norm|bn|dataclass|config|set|dict|trial|flow|flax|requirements)\b[^.]{0,40}\b(?:freez|froze)`,
			`\b(?:freez\w+|froze|frozen)\s+(?:\w+\s+){0,3}(?:layers?|weights?|param(?:eter)?s?|backbone|encoder|decoder|model|embeddings?|graph|batch ?norm|bn|dataclass|importlib|bert|base|trial|module|set|features?)`,
		),
		notAfter:  lazyre.New(`(?:[.<_]|\bun)$`),
		notBefore: lazyre.New(`^[=(_]`)},

	// Some tokenizers are called slow, and some things should be.
	{kind: Slow, hint: hasAny("slow", "sluggish"),
		re: either(
			`\b(?:\d+(?:\.\d+)?\s*(?:x|×|times|-?\s?fold|%)\s+)?(?:(?:much|very|so|too|way|\w+ly)\s+)?slow(?:er|ly|s|ed|ing|ness|[- ]?downs?)?\b`,
			`\bsluggish\b`,
		),
		unless: either(
			`\bslow\s+(?:\w+\s+)?(?:tokeni[sz]ers?|processors?|convergence|start|tests?|feature|ema|weights|path|and fast|vs|mode)\b`,
			`\bfast (?:and|or|vs\.?|/) slow\b`,
			`\bslow[=_]`,
			`\b(?:learns?|converges?|decreas\w+|decays?|learning)\s+(?:\w+\s+)?slow`,
		),
		notAfter:  lazyre.New(`[_.]$`),
		notBefore: lazyre.New(`^[_=(]`)},
	// Hours where minutes would do, without the word.
	{kind: Slow, hint: hasAny("take", "took", "performance", "speed", "throughput", "overhead", "latency", "quadratic", "很慢", "变慢"),
		re: either(
			`\b(?:takes?|took|taking)\s+(?:[\w~>.]+\s+){0,3}?(?:hours?|minutes?|mins|days?|forever|ages|(?:so|too|very|extremely|unreasonably|really)\s+long|(?:\w+\s+)?longer|(?:much|way|far)\s+more time|\d+\s*(?:x|times)\s+(?:as long|longer|more))\b`,
			`\bperformance\s+(?:\w+\s+)?(?:regression|bottleneck|issues?|problems?|penalty|hit)\b`,
			`\b(?:drop|decrease|regression|reduction|degradation|loss)\s+(?:in|of)\s+(?:\w+\s+)?(?:speed|throughput)\b`,
			`\b(?:high|large|huge|significant|massive|enormous)\s+(?:\w+\s+)?(?:overhead|latency)\b`,
			`\bquadratic\s+(?:time|complexity|scaling|runtime|in)\b`,
			`\b(?:speed|throughput)\s+(?:\w+\s+)?(?:drops?|dropped|decreas\w+|degrad\w+|halved|regress\w+)\b`,
			`很慢`,
			`变慢`,
		),
		unless: either(
			`\btakes? (?:a few|some|several|about a?) (?:minutes?|mins) to (?:install|download|build)`,
			`\btook me\b`,
		)},

	// Twice, unless the reporter did it twice or it is twice as much; duplicate
	// reports are the tracker's.
	{kind: Duplicates, hint: hasAny("twice", "duplicat", "double-count", "double count", "doubly"),
		re: either(
			`\b(?:same\s+(?:\w+\s+){1,3})?(?:\w+\s+)?twice\b`,
			`\bduplicat(?:e|es|ed|ing|ion|ions)\b`,
			`\bdouble[- ]count(?:s|ed|ing)?\b`,
			`\bdoubly\s+\w+ed\b`,
		),
		unless: either(
			`\bduplicat(?:e|es|ed)\s+(?:of|issue|issues|bug|report|code|definition|effort|key|import|here)\b`,
			`\b(?:possible|potential|known|a|not|this is|drop|remov\w+|de|search\w* for|check\w* for|existing)[-_ ]+duplicat`,
			`\btwice\s+(?:as|the|its)\b`,
			`\b(?:i|we|you|if|when|calling|call|running|run|ran|tried|importing|import|restarted|using)\b[^.,]{0,40}\btwice\b`,
		),
		notAfter:  lazyre.New(`[_.]$`),
		notBefore: lazyre.New(`^[_=(]`)},
	// "Again" alone is in every report; something has to be done again.
	{kind: Duplicates, hint: hasAny("again", "repeat", "multiple times", "several times", "more than once", "times instead", "same "),
		re: either(
			`\b(?:printed|logged|called|evaluated|sampled|executed|suggested|added|counted|applied|emitted|invoked|shown|registered|triggered|returned|reported|repeated|prints|logs|calls|evaluates|samples|suggests|emits|returns|visits|visited|yields|yielded)\s+(?:\w+\s+){0,4}?(?:again|repeatedly|(?:multiple|several|many|two|three|\d+)\s+times|more than once)\b`,
			`\bsame\s+(?:[a-z]\w*s?\s+){1,4}?(?:again|repeatedly|(?:multiple|several|many|two|three|\d+)\s+times|more than once|over and over)\b`,
			`\brepeat(?:s|ed|ing)\s+(?:\w+\s+)?(?:values?|rows?|entries|trials?|lines?|samples?|calls?|tokens?|outputs?|elements?|messages?|warnings?|itself|param\w*|indices|items?|records?|keys?)\b`,
		),
		unless: lazyre.New(`\bsame\s+(?:by|as|with|when|if|thing)\b|\b(?:i|we|you)\s+(?:\w+\s+)?(?:called|printed|sampled|executed|evaluated)\b`)},

	// Shapes and types before values: their sentences say "wrong" too.
	{kind: Shape, hint: hasAny("shape", "dimension", "axis", "ndim", "rank", "broadcast", "size mismatch"),
		re: either(
			`\b(?:wrong|incorrect|unexpected|inconsistent|bad|different|mismatch(?:ed|ing)?|invalid|transposed|squeezed)\s+(?:\w+\s+){0,2}(?:shapes?|dimensions?|ndim|dimensionality|output size)\b`,
			`\bshapes?\s+(?:[\w()]+\s+){0,4}?(?:mismatch(?:es|ed)?|inconsisten\w+|wrong|incorrect|differs?|(?:do|does|did)(?:\s+not|n['’]t)\s+(?:match|agree)|not\s+(?:preserved|match\w*|kept|correct)|lost|not broadcast\w*)\b`,
			`\b(?:dimensions?|size|shape)\s+mismatch(?:es)?\b`,
			`\b(?:returns?|has|have|having|with|of|gives?|gets?|got|outputs?|produces?|is)\s+(?:[\w.]+\s+){0,5}?shape\b[^.;]{1,60}?\b(?:instead of|rather than|but (?:\w+ )?(?:should|expected)|expected|not)\b`,
			`\bshape\s+(?:is|of|was)?\s*[\[(][^.;]{1,50}?(?:instead of|rather than|expected|should be)\b`,
			`\b(?:drops?|loses|adds?|removes?|squeezes|dropped|squeezed)\s+(?:a|an|the|one|out|its)\s+(?:\w+\s+){0,2}(?:dimensions?|axis|dim)\b`,
			`\b(?:extra|missing|additional|spurious)\s+(?:\w+\s+)?(?:dimension|axis)\b`,
			`\b(?:silently|wrongly|incorrectly|unexpectedly)\s+broadcast(?:s|ed|ing)?\b`,
			`\bbroadcast(?:s|ed|ing)?\s+(?:\w+\s+)?(?:silently|wrongly|incorrectly|unexpectedly)\b`,
		)},
	{kind: DType, hint: hasAny("dtype", "data type", "cast", "promot", "float", "int", "bool", "double", "half", "complex"),
		re: either(
			`\b(?:wrong|incorrect|unexpected|different|inconsistent|mismatch(?:ed|ing)?|invalid)\s+(?:\w+\s+){0,2}(?:dtypes?|data types?)\b`,
			`\b(?:dtypes?|data types?)\b[\x60]?\s+(?:[\w.]+\s+){0,4}?(?:mismatch(?:es)?|wrong|incorrect|ignored|differs?|lost|(?:do|does|did)(?:\s+not|n['’]t)\s+(?:match|agree)|not\s+(?:preserved|respected|match\w*|kept|hono(?:u)?red|propagated)|inconsisten\w+)\b`,
			`\b(?:silently|implicitly|unexpectedly|wrongly|incorrectly)\s+(?:up|down)?(?:cast|promot|convert)(?:s|ed|es|ing)?\b`,
			`\b(?:up|down)-?cast(?:s|ed|ing)?\s+(?:\w+\s+){0,3}?(?:to|from)\b`,
			`\b(?:ignores?|ignored|ignoring)\s+(?:the\s+)?(?:\w+\s+)?dtypes?\b`,
			isNot+`(?:respect|preserve|keep|hono(?:u)?r)(?:s|ed)?\s+(?:\w+\s+){0,2}(?:dtypes?|data types?|precision)\b`,
			`\b(?:returns?|gives?|outputs?|produces?|yields?|is|are|becomes?|became|gets?|got|has|dtype|in|to|as)\s+(?:(?:a|an|of|type|dtype|array|tensor)\s+){0,3}[\x60'"]*(?:(?:torch|np|numpy|jnp|tf|paddle)\.)?(?:b?float\d*|u?int\d+|bool|double|half|complex\d*)(?:tensor)?[\x60'"]*\s+[^.;]{0,30}?\b(?:instead of|rather than|even though|although|despite|but (?:\w+ )?(?:should|expected))\b`,
		)},

	// Any warning that is not asked for, silenced, or the head of a notice.
	{kind: Warning, hint: hasAny("warn"),
		re:        lazyre.New(`\b\w*warnings?\b|\bwarns\b`),
		unless:    lazyre.New(`\b(?:filterwarnings|warnings\.(?:warn|catch|filter|simple)|suppress\w*|ignor(?:e|es|ed|ing)\s+(?:\w+\s+)?\w*warnings?|silenc\w+|missing\s+\w*warning|turn\w*\s+warnings|(?:add|raise|issue|emit)\s+a\s+warning\s+(?:in|if|when)\s+(?:this|that)|fair warning|early warning|log level)\b`),
		notAfter:  lazyre.New(`(?:[.]|[-]W ?\w*|^\s*(?:[*_>!\[\]\x60 ]*))$`),
		notBefore: lazyre.New(`^(?:_|=|\(|\*\*:?\s|: (?:this|the following|do not|don't|please|long)|\]\s)`)},

	// Last, since its words stand in sentences about everything else.
	{kind: WrongValue, hint: hasAny("wrong", "returns zero", "return zero", "returns all zero", "nothing", "incorrect", "inaccura", "erroneous", "bogus", "garbage", "unexpected", "corrupt", "nonsense", "inconsist", "mismatch", "different", "invalid", "bad ", "false "),
		re: either(
			`\b(?:wrong(?:ly)?|incorrect(?:ly)?|inaccurate(?:ly)?|erroneous(?:ly)?|bogus|garbage|unexpected|corrupt(?:ed)?|nonsense|nonsensical|inconsistent|different|mismatch(?:ed|ing)?|bad)\s+(?:[\w.\-]+\s+){0,3}?`+result+`\b`,
			`\b`+result+`\b[\x60]?\s+(?:[\w.()\-]+\s+){0,4}?(?:is|are|was|were|seems?|looks?|be|being)\s+(?:\w+\s+){0,2}?(?:wrong|incorrect|inaccurate|corrupted|garbage|inconsistent|different)\b`,
			`\b(?:comput|calculat|return|evaluat|behav|handl|round|pars|convert|interpret|sort|count|scal)\w*\b[^.;]{0,40}?\b(?:wrongly|incorrectly|inaccurately)\b`,
			`\b(?:incorrectly|wrongly|erroneously)\s+\w+(?:s|ed)\b`,
			`\b(?:is|are|gives|gave|was|seems|looks|returns)\s+(?:\w+\s+)?(?:wrong|incorrect|inaccurate|garbage|nonsense)\b`,
			`\bwrong\s+(?:entry|element|row|column|item|class|axis|sign|branch|key|token|order|for)\b`,
			`\breturns?\s+(?:all\s+)?(?:zeros?|nothing|garbage)\b`,
			`\bmismatch(?:es|ed)?\b`,
		),
		unless: either(
			`\b(?:i|we|you)\s+(?:\w+\s+){0,3}(?:wrong|incorrectly)\b`,
			`\bwhat\s+(?:\w+\s+){0,2}wrong\b`,
			`\bsomething\s+(?:is\s+)?wrong\b`,
			`\bcorrect me if\b`,
			`\bversion mismatch`,
			`\bmismatch(?:ed|es)? versions?`,
			`\bunexpected keyword`,
			`\bwith (?:many|several|other) different`,
			`\bfor different\b`,
			`\b(?:tried|using|with|use|of|on|try|two|three)\s+(?:\w+\s+)?different\b`,
		),
		notBefore: lazyre.New(`^\s+versions?\b`)},
	// The same without the word: does not match, X instead of Y, no effect.
	{kind: WrongValue, hint: hasAny("off by", "off-by", "miscalcul", "miscomput", "precision", "numerical", "differ", "match", "equal", "agree", "allclose", "invert", "swap", "revers", "flip", " off", "not ", "too ", "negative", "silently", "no effect", "not the same", "instead", "expected", "should", "ignore", "结果"),
		re: either(
			`\boff[- ]by\b`,
			`\bmis(?:calculat|comput)\w+`,
			`\b(?:los(?:es?|ing|t)|loss of|reduced|poor|bad)\s+(?:\w+\s+)?precision\b`,
			`\bprecision\s+(?:\w+\s+)?(?:loss|errors?|issues?|problems?)\b`,
			`\bnumerical(?:ly)?\s+(?:\w+\s+)?(?:errors?|instabilit\w+|unstable|inaccura\w+|issues?|incorrect|wrong)\b`,
			`\b`+result+`\b[\x60]?\s+(?:[\w.()\-]+\s+){0,6}?(?:(?:do|does|did)(?:\s+not|n['’]t)\s+(?:match|agree|equal|coincide|correspond)|(?:is|are|was)(?:\s+not|n['’]t)\s+(?:\w+\s+)?(?:correct|equal|the same|identical|right|consistent|accurate)|differs?|disagree\w*|(?:is|are|was|were)\s+(?:\w+\s+)?(?:off\b|too\s+(?:large|small|high|low|big)|negative|swapped|inverted|reversed|flipped))`,
			`\bnot\s+(?:\w+\s+)?(?:allclose|numerically equal)\b`,
			`\b(?:differs?|different)\s+from\b`,
			`\b(?:returns?|returned|gives?|gave|prints?|printed|outputs?|yields?|computes?|computed|produces?|produced|evaluates? to|reports?|shows?|results? in|got|gets?)\s+[^;]{1,60}?\s(?:instead of|rather than|but (?:\w+ ){0,3}(?:should|expect(?:ed|s)?)|while (?:\w+ ){0,3}(?:should|expect(?:ed|s)?)|\(?expected)\b`,
			`\bsilently\s+(?:ignor\w+|drop\w*|skip\w*|discard\w*|truncat\w+|wrong|incorrect|overwrit\w+|produc\w+|return\w*|corrupt\w*)\b`,
			`\bhas\s+no\s+effect\b`,
			`结果(?:错误|不正确|不对|不一致)`,
		),
		unless: either(
			`\b(?:rais(?:es|ed)|throws?|threw)\s+[^.]{0,60}\b(?:instead of|rather than)\b`,
			`\berrors?\s+instead\b`,
			`\bdifferent from (?:#|issue)`,
		)},
}

// either is a pattern of alternatives.
func either(alternatives ...string) *lazyre.Regexp {
	return lazyre.New(strings.Join(alternatives, "|"))
}

// becomes are verbs whose object is a result, whatever else the sentence says.
const becomes = `\b(?:returns?|returned|returning|becom(?:es?|ing)|became|gives?|gave|giving|produc(?:es?|ed|ing)|turns?(?:\s+(?:in)?to)?|turned(?:\s+(?:in)?to)?|go(?:es|ing)?(?:\s+to)?|went(?:\s+to)?|yields?|yielding|outputs?|prints?|printed|diverg(?:es?|ed|ing)\s+to|results?\s+in|resulting\s+in|leads?\s+to|overflows?\s+to|evaluates?\s+to|generat(?:es?|ed|ing)|gets?|got|getting)\s+`

const nonFinite = `\b(?:nans?|inf(?:s|inity|inities)?|non-?\s?finite|not[- ]a[- ]number|infinite\s+(?:values?|loss(?:es)?|grad\w*|outputs?|results?|log\w*|norms?|weights?|numbers?))\b`

// codeOf stands before the number of an exit code.
const codeOf = `\b(?:exit(?:ed|s)?(?:\s+(?:with|status|code|value)){0,3}|exit[_ ]?code|return[_ ]?code|rc|code)\s*(?:of|is|was|=|:)?\s*`
