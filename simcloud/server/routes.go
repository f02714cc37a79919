package server

import (
	"maps"
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// handlers has every operation that is not a stream.
func (s *server) handlers() map[string]operation {
	all := cloudOperations(s.API)
	maps.Copy(all, s.control())
	maps.Copy(all, s.faults())
	return all
}

// control has the operations of the simulator itself.
func (s *server) control() map[string]operation {
	return map[string]operation{
		"GetState":                typed[none, simcloud.State](http.StatusOK, plain(s.getState)),
		"Reset":                   typed[none, done](http.StatusOK, plain(s.reset)),
		"Seed":                    typed[simcloud.Topology, simcloud.SeedReport](http.StatusOK, plain(s.seed)),
		"PlanReset":               typed[none, simcloud.SeedReport](http.StatusOK, plain(s.planReset)),
		"PlanSeed":                typed[simcloud.Topology, simcloud.SeedReport](http.StatusOK, plain(s.planSeed)),
		"GetConfig":               typed[none, simcloud.Config](http.StatusOK, plain(s.getConfig)),
		"UpdateConfig":            typed[simcloud.ConfigUpdate, simcloud.Config](http.StatusOK, plain(s.updateConfig)),
		"ListSnapshots":           typed[none, simcloud.Page[simcloud.Snapshot]](http.StatusOK, plain(s.listSnapshots)),
		"SaveSnapshot":            typed[simcloud.SnapshotSpec, simcloud.Snapshot](http.StatusCreated, plain(s.saveSnapshot)),
		"LoadSnapshot":            typed[none, simcloud.Snapshot](http.StatusOK, plain(s.loadSnapshot)),
		"DiffSnapshot":            typed[none, simcloud.SnapshotDiff](http.StatusOK, s.diffSnapshot, diffParameters()...),
		"DeleteSnapshot":          typed[none, done](http.StatusOK, plain(s.deleteSnapshot)),
		"GetDataPlane":            typed[none, simcloud.DataPlane](http.StatusOK, plain(s.getDataPlane)),
		"ReportTargetHealth":      typed[healthReport, done](http.StatusOK, plain(s.reportTargetHealth)),
		"ReportGroupTargetHealth": typed[groupHealthReport, done](http.StatusOK, plain(s.reportGroupTargetHealth)),
		"GetClock":                typed[none, simcloud.ClockStatus](http.StatusOK, plain(s.getClock)),
		"SetClock":                typed[simcloud.ClockSpec, simcloud.ClockStatus](http.StatusOK, plain(s.setClock)),
		"AdvanceClock":            typed[advance, simcloud.ClockAdvance](http.StatusOK, plain(s.advanceClock)),
		"ListJournal":             typed[none, simcloud.Page[simcloud.JournalEntry]](http.StatusOK, s.listJournal, listJournalParameters()...),
		"GetJournalEntry":         typed[none, simcloud.JournalEntry](http.StatusOK, plain(s.getJournalEntry)),
		"ClearJournal":            typed[none, done](http.StatusOK, plain(s.clearJournal)),
	}
}

// streams has the operations that are streams.
func (s *server) streams() map[string]streaming {
	return map[string]streaming{
		"WatchEvents":    streamOf[simcloud.Event](s.watchEvents, eventParameters()...),
		"WatchAllEvents": streamOf[simcloud.Event](s.watchAllEvents, eventParameters()...),
		"WatchJournal":   streamOf[simcloud.JournalEntry](s.watchJournal, journalParameters()...),
	}
}
