import { serve } from './remote-service.js';
import { openScorerService, type ScorerSetup } from './scorer-service.js';
import { openSessionService, type SessionSetup } from './session-service.js';

/** The script of all workers. The page makes one that is a scorer, and others for its sessions. */
serve((setup: ScorerSetup | SessionSetup, call) =>
  setup.role === 'session' ? openSessionService(setup) : openScorerService(setup, call),
);
