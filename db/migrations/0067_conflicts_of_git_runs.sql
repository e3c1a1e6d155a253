-- written by hand: as before (0058_run_events), and the end of a run counts its conflicts and the files that were left out.
CREATE OR REPLACE FUNCTION publish_git_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM publish_events(jsonb_build_array(run_event('@vendor/git',
    CASE NEW.status WHEN 'running' THEN 'gitRunStarted' ELSE 'gitRunFinished' END,
    ARRAY[NEW.id, NEW.remote_id], 'gitRemote', '{}', NULL,
    jsonb_build_object('runId', NEW.id, 'remoteId', NEW.remote_id,
      'remote', (SELECT name FROM git_remotes WHERE id = NEW.remote_id), 'action', NEW.action, 'branch', NEW.branch,
      'dryRun', NEW.dry_run, 'status', NEW.status, 'message', left(NEW.error, 2000))
    || CASE NEW.status WHEN 'running' THEN '{}' ELSE jsonb_build_object(
      'conflicts', coalesce(jsonb_array_length(NEW.result #> '{documents,conflicts}'), 0),
      'issues', coalesce(jsonb_array_length(NEW.result -> 'issues'), 0)) END)));
  RETURN NULL;
END
$$;
