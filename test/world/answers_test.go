package world

import "net/http"

// misread are defects of what a scheduler makes of answers that one fault alone has the API server give.
func misread() map[string]func() Breaks {
	return map[string]func() Breaks{
		"takes a binding for done that admission denies": func() Breaks {
			return Breaks{wrap: with(deniedForDone), world: func(o *Options) {
				o.Trouble = Trouble{ServerTrouble: ServerTrouble{Denied: 0.05}}
			}}
		},
	}
}

func deniedForDone(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	answer, err := next.RoundTrip(r)
	if isBinding(r) && err == nil && answer.StatusCode == http.StatusForbidden {
		_ = answer.Body.Close() // nobody reads it
		return pretendBound(next, r)
	}
	return answer, err
}
