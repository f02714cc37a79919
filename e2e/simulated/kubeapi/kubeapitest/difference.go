package kubeapitest

// Differences returns the cases, as topic/case, whose answers differ from the recorded ones of the real server.
func Differences(topics []Topic, got Answers) (map[string]string, error) {
	want, err := Golden()
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, topic := range topics {
		for _, c := range topic.Cases {
			diff, err := difference(want[c.Key()], got[c.Key()])
			if err != nil {
				return nil, err
			}
			if diff != "" {
				all[c.Key()] = diff
			}
		}
	}
	return all, nil
}
