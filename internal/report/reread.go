package report

import (
	"fmt"
	"strings"
)

// Reread reads the text of a kept report anew. A Report in a stranger's file may
// say of its text what it likes, with places that are not in it; its text, its
// day and its labels are all that counts.
func Reread(r *Report) *Report {
	if r.Source.Kind != "github" && r.Source.Kind != "tracker-json" {
		return parse([]byte(r.Text), Issue{}, r.Source)
	}
	issue := Issue{Repo: r.Repo, Created: r.Created}
	var body string
	body, issue.Comments = uncompose(r.Text)
	again := parse([]byte(body), issue, r.Source)
	again.Labels = r.Labels // those in its text are among them
	return again
}

// uncompose takes a text apart into the report and the replies that compose put
// below it.
func uncompose(text string) (body string, replies []Comment) {
	for n := 1; n <= MaxComments; n++ {
		found := false
		for _, reporter := range []bool{false, true} {
			before, after, ok := strings.Cut(text, replyHead(n, reporter))
			if !ok {
				continue
			}
			if n == 1 {
				body = before
			} else {
				replies[n-2].Body = before
			}
			replies = append(replies, Comment{Body: after, Reporter: reporter})
			text, found = after, true
			break
		}
		if !found {
			break
		}
	}
	if len(replies) == 0 {
		return text, nil
	}
	return body, replies
}

// replyHead stands above a reply.
func replyHead(n int, reporter bool) string {
	if reporter {
		return fmt.Sprintf("\n\n## Comment %d (reporter)\n\n", n)
	}
	return fmt.Sprintf("\n\n## Comment %d\n\n", n)
}
