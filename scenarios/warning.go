package scenarios

// Warning says of a scenario that passed what may be wrong with it. It changes nothing of how the scenario ended.
type Warning struct {
	// Position is where in the scenario file.
	Position string `json:"position"`
	Text     string `json:"text"`
}

// String writes the warning for humans.
func (w Warning) String() string { return "warning: " + w.Position + ": " + w.Text }
