package fault

// Locks is how many locks are remembered.
func (s *Set) Locks() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.locks)
}
