package store

// checkPages checks what the file is made of, and asks bbolt too.
func (tx *Tx) checkPages() []error {
	if err := checkPages(tx.db.file); err != nil {
		return []error{err} // bbolt's check would run for ever, or panic in a goroutine of its own
	}
	var problems []error
	for err := range tx.bolt.Check() {
		problems = append(problems, damaged(err))
	}
	return problems
}
