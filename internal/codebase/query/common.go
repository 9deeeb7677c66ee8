package query

import "strings"

// commonWords are the function words of English: articles, pronouns,
// auxiliaries, prepositions, conjunctions, and the adverbs of every second
// sentence. In source they stand in docstrings, so that they only favour what
// has much prose. Without them recall@20 by words alone rose from .600 to .800
// on ten fixes of keras (recall@100 .900 to 1.000), and on ten of torchmetrics
// recall@100 from .875 to .975; no figure fell by more than one place of one
// query. A list of report words ("bug", "expected", "version") added nothing.
var commonWords = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`
a an the this that these those here there
i me my mine we us our ours you your yours he him his she her hers it its they them their theirs
myself yourself itself themselves who whom whose which what when where why how
am is are was were be been being do does did doing done have has had having
can could may might must shall should will would ought cannot
isn aren wasn weren don doesn didn haven hasn hadn won wouldn couldn shouldn ain ll ve re
and or but nor so yet if then else than because since although though while whereas unless until
of in on at to from for with without by as into onto out off up down over under above below between among through during
before after about against across along around behind beside beyond near within upon per via
not no none neither either both each every all any some few many much more most other another such same own only
very too also just even still already again once twice ever never always often sometimes usually
now well really quite rather almost enough however therefore thus hence instead otherwise
get gets got getting give gives given make makes made seem seems like want wants need needs
say says said see sees seen look looks know think please thanks hi hello
one ones thing things way ways something nothing anything everything
s t m d e g eg ie etc vs
`) {
		set[w] = true
	}
	return set
}()

// Common says whether a token, in lower case, is a function word: as a word of
// prose it says nothing about where in a project something is.
func Common(token string) bool { return commonWords[token] }
