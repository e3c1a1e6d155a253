-- What happened, on its way to those who want to know (decision 0080). A transaction leaves its events in the outbox, as
-- an array of {source, topic, subjects, kind, documents?, readers?, payload}; nobody waits for anybody.
CREATE FUNCTION publish_events(told jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF jsonb_array_length(told) > 0 THEN INSERT INTO event_outbox (events) VALUES (told); END IF;
END
$$;
--> statement-breakpoint
-- Gives what has been committed its ids. One at a time does so, in a transaction that is this one statement long: what a
-- reader sees is therefore never followed by a smaller id, and a process that hangs holds nobody up. Each statement in
-- here has a snapshot of its own, taken after the lock.
-- Returns how many events there were; null while somebody else is at it.
CREATE FUNCTION sequence_events(most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  sequenced bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM event_outbox) THEN RETURN 0; END IF;
  IF NOT pg_try_advisory_xact_lock(7398211641) THEN RETURN NULL; END IF;
  WITH taken AS (
    DELETE FROM event_outbox WHERE n = ANY (ARRAY(SELECT n FROM event_outbox ORDER BY n LIMIT most)) RETURNING n, events, at
  )
  INSERT INTO events (source, topic, subjects, kind, documents, readers, time, payload)
  SELECT event ->> 'source', event ->> 'topic', ARRAY(SELECT jsonb_array_elements_text(event -> 'subjects')),
    event ->> 'kind', ARRAY(SELECT jsonb_array_elements_text(coalesce(event -> 'documents', '[]'))),
    nullif(event -> 'readers', 'null'), at, event -> 'payload'
  FROM taken, jsonb_array_elements(events) WITH ORDINALITY AS listed (event, place)
  ORDER BY n, place;
  GET DIAGNOSTICS sequenced = ROW_COUNT;
  IF sequenced > 0 THEN PERFORM pg_notify('events', ''); END IF;
  RETURN sequenced;
END
$$;
--> statement-breakpoint
CREATE FUNCTION configuration_event(
  kind text, id text, name text, change text, subjects text[], gate text, documents text[], readers jsonb
) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('source', '@vendor/configuration-manager', 'topic', 'configurationChanged',
    'subjects', to_jsonb(subjects), 'kind', gate, 'documents', to_jsonb(documents), 'readers', readers,
    'payload', jsonb_build_object('kind', kind, '_id', id, 'name', coalesce(name, id), 'change', change))
$$;
--> statement-breakpoint
CREATE FUNCTION change_of(operation text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE operation WHEN 'INSERT' THEN 'created' WHEN 'UPDATE' THEN 'updated' ELSE 'deleted' END
$$;
--> statement-breakpoint
-- A document that has its own access list.
CREATE FUNCTION tell_document_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text := TG_ARGV[0];
BEGIN
  PERFORM publish_events(coalesce(jsonb_agg(configuration_event(kind, id, doc ->> 'name', change_of(TG_OP),
    ARRAY[id], kind, ARRAY[id], doc #> '{gbac,read}') ORDER BY id), '[]')) FROM changed;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- What goes with its tree or its version is told by that.
CREATE FUNCTION tell_version_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM publish_events(coalesce(jsonb_agg(configuration_event('version', changed.id, changed.version, change_of(TG_OP),
    ARRAY[changed.id, tree.id], 'tree', ARRAY[tree.id], tree.read_groups) ORDER BY changed.id), '[]'))
  FROM changed JOIN golden_trees tree ON tree.id = changed.tree_id;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE FUNCTION tell_spec_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM publish_events(coalesce(jsonb_agg(configuration_event('spec', changed.id, changed.doc ->> 'name', change_of(TG_OP),
    array_remove(ARRAY[changed.id, tree.id], NULL), 'tree', array_remove(ARRAY[tree.id], NULL), tree.read_groups)
    ORDER BY changed.id), '[]'))
  FROM changed LEFT JOIN tree_versions version ON version.id = changed.version_id
    LEFT JOIN golden_trees tree ON tree.id = version.tree_id
  WHERE changed.version_id IS NULL OR tree.id IS NOT NULL;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE FUNCTION tell_remediation_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM publish_events(coalesce(jsonb_agg(configuration_event('remediation', changed.id, changed.device_name, change_of(TG_OP),
    array_remove(ARRAY[changed.id, changed.report_id, changed.tree_id], NULL), 'tree',
    array_remove(ARRAY[changed.tree_id], NULL), tree.read_groups) ORDER BY changed.id), '[]'))
  FROM changed LEFT JOIN golden_trees tree ON tree.id = changed.tree_id;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE FUNCTION tell_backup_stored() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM publish_events(coalesce(jsonb_agg(jsonb_build_object('source', '@vendor/configuration-manager',
    'topic', 'backupStored', 'subjects', to_jsonb(array_remove(ARRAY[id, name], NULL)), 'kind', 'backup',
    'documents', to_jsonb(ARRAY[id]), 'readers', doc #> '{gbac,read}',
    'payload', jsonb_build_object('_id', id, 'name', name, 'date', doc -> 'date')) ORDER BY date, id), '[]'))
  FROM changed;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- Tells every write of a table: `teller` looks at the rows of a statement, whoever wrote them and how.
CREATE FUNCTION tell_writes_of(written text, teller text, kind text, inserts boolean DEFAULT true) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF inserts THEN
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON %I REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION %I(%L)',
      written || '_told_in', written, teller, kind);
  END IF;
  EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON %I REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION %I(%L)',
    written || '_told_anew', written, teller, kind);
  EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON %I REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION %I(%L)',
    written || '_told_out', written, teller, kind);
END
$$;
--> statement-breakpoint
SELECT tell_writes_of(written, teller, kind, inserts) FROM (VALUES
  ('golden_trees', 'tell_document_changed', 'tree', true),
  ('parsers', 'tell_document_changed', 'parser', true),
  ('device_groups', 'tell_document_changed', 'deviceGroup', true),
  ('device_templates', 'tell_document_changed', 'deviceTemplate', true),
  ('compliance_plans', 'tell_document_changed', 'plan', true),
  ('backups', 'tell_document_changed', 'backup', false),
  ('tree_versions', 'tell_version_changed', 'version', true),
  ('config_specs', 'tell_spec_changed', 'spec', true),
  ('remediations', 'tell_remediation_changed', 'remediation', true)
) AS tables (written, teller, kind, inserts);
--> statement-breakpoint
CREATE TRIGGER backups_told_in AFTER INSERT ON "backups" REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_backup_stored();
--> statement-breakpoint
-- Up is what runs, and whose other side answers or was not asked yet.
CREATE FUNCTION tell_adapter_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was boolean := TG_OP <> 'INSERT' AND OLD.active AND OLD.online IS DISTINCT FROM false;
  is_now boolean := TG_OP <> 'DELETE' AND NEW.active AND NEW.online IS DISTINCT FROM false;
  adapter adapters := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  IF was = is_now THEN RETURN NULL; END IF;
  PERFORM publish_events(jsonb_build_array(jsonb_build_object('source', '@vendor/adapters',
    'topic', CASE WHEN is_now THEN 'adapterUp' ELSE 'adapterDown' END,
    'subjects', to_jsonb(ARRAY[adapter.id]), 'kind', 'adapter',
    'payload', jsonb_build_object('name', adapter.id, 'model', coalesce(adapter.doc #>> '{properties,type}', ''),
      'state', CASE WHEN TG_OP = 'DELETE' THEN 'DELETED' WHEN adapter.active THEN 'RUNNING' ELSE 'STOPPED' END,
      'connection', CASE WHEN adapter.online THEN 'ONLINE' WHEN NOT adapter.online THEN 'OFFLINE' ELSE 'UNKNOWN' END,
      'detail', CASE WHEN is_now THEN NULL ELSE adapter.detail END))));
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER adapters_told_there AFTER INSERT OR DELETE ON "adapters" FOR EACH ROW EXECUTE FUNCTION tell_adapter_state();
--> statement-breakpoint
CREATE TRIGGER adapters_told_anew AFTER UPDATE ON "adapters" FOR EACH ROW
  WHEN (OLD.active IS DISTINCT FROM NEW.active OR OLD.online IS DISTINCT FROM NEW.online) EXECUTE FUNCTION tell_adapter_state();
--> statement-breakpoint
-- How far a batch is with each part of it that was stored, and its end.
CREATE FUNCTION tell_batch() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  places jsonb := (SELECT coalesce(jsonb_agg(jsonb_build_object(
      'treeId', place -> 'treeId', 'version', place -> 'version', 'nodePath', place -> 'nodePath')), '[]')
    FROM jsonb_array_elements(CASE jsonb_typeof(NEW.request -> 'places') WHEN 'array' THEN NEW.request -> 'places' ELSE '[]' END) AS place);
  event jsonb := jsonb_build_object('source', '@vendor/configuration-manager', 'kind', 'tree',
    'subjects', to_jsonb(ARRAY[NEW.id] || NEW.tree_ids), 'documents', to_jsonb(NEW.tree_ids));
  told jsonb := '[]';
BEGIN
  IF NEW.done <> OLD.done THEN
    told := told || (event || jsonb_build_object('topic', 'complianceReportsStored', 'payload', jsonb_build_object(
      'batchId', NEW.id, 'reports', NEW.done - OLD.done, 'done', NEW.done, 'errors', NEW.errors, 'total', NEW.total)));
  END IF;
  IF OLD.status = 'running' AND NEW.status = 'complete' THEN
    told := told || (event || jsonb_build_object('topic', 'complianceBatchFinished', 'payload', (
      SELECT jsonb_build_object('batchId', NEW.id, 'treeId', coalesce(places #>> '{0,treeId}', ''),
        'version', coalesce(places #>> '{0,version}', ''), 'nodePath', coalesce(places #>> '{0,nodePath}', ''),
        'places', places, 'reports', count(*), 'totals', jsonb_build_object('errors', coalesce(sum(errors), 0),
        'warnings', coalesce(sum(warnings), 0), 'infos', coalesce(sum(infos), 0), 'passes', coalesce(sum(passes), 0)))
      FROM compliance_report WHERE batch_id = NEW.id AND ts = NEW.started)));
  ELSIF OLD.status = 'running' AND NEW.status <> 'running' THEN
    told := told || (event || jsonb_build_object('topic', 'complianceBatchStopped', 'payload', jsonb_build_object(
      'batchId', NEW.id, 'status', NEW.status, 'reports', NEW.done, 'total', NEW.total)));
  END IF;
  PERFORM publish_events(told);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER compliance_batch_told AFTER UPDATE ON "compliance_batch" FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.done IS DISTINCT FROM NEW.done) EXECUTE FUNCTION tell_batch();
--> statement-breakpoint
-- Who may read a job, for when it is gone: one list. Where project and groups both have a say, admins only.
CREATE FUNCTION readers_of_job(groups jsonb, project text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN project IS NULL THEN nullif(groups, 'null')
    WHEN jsonb_typeof(groups) = 'array' AND groups <> '[]' THEN '["-"]'
    ELSE coalesce((SELECT nullif(readers, '[]') FROM projects WHERE id = project), '["-"]')
  END
$$;
--> statement-breakpoint
CREATE FUNCTION job_event(id text, doc jsonb, status text, parent text, groups jsonb, project text, topic text, more jsonb)
RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('source', '@vendor/operations-manager', 'topic', topic,
    'subjects', to_jsonb(array_remove(ARRAY[id, parent], NULL)), 'kind', 'job', 'documents', to_jsonb(ARRAY[id]),
    'readers', readers_of_job(groups, project),
    'payload', more || jsonb_build_object('_id', id, 'name', doc -> 'name', 'description', doc -> 'description',
      'status', status, 'at', floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
      || CASE WHEN parent IS NULL THEN '{}' ELSE jsonb_build_object('parent', parent) END)
$$;
--> statement-breakpoint
CREATE FUNCTION tell_jobs_there() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM publish_events(coalesce(jsonb_agg(job_event(id, doc, status, parent_job, groups, project_id,
    CASE TG_OP WHEN 'INSERT' THEN 'jobStarted' ELSE 'jobDeleted' END,
    jsonb_build_object('by', coalesce(doc ->> 'created_by', doc #>> '{variables,initiator}', ''))) ORDER BY id), '[]'))
  FROM changed;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE FUNCTION tell_job_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM publish_events(jsonb_build_array(job_event(NEW.id, NEW.doc, NEW.status, NEW.parent_job, NEW.groups, NEW.project_id,
    CASE NEW.status WHEN 'complete' THEN 'jobCompleted' WHEN 'error' THEN 'jobErrored' WHEN 'canceled' THEN 'jobCanceled'
      WHEN 'paused' THEN 'jobPaused' ELSE 'jobResumed' END,
    CASE NEW.status
      WHEN 'error' THEN jsonb_build_object('task', coalesce(NEW.doc #>> '{error,-1,task}', ''),
        'message', coalesce(left(NEW.doc #>> '{error,-1,message}', 2000), ''))
      WHEN 'complete' THEN '{}'
      ELSE jsonb_build_object('by', coalesce(NEW.doc ->> 'last_updated_by', '')) END)));
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER jobs_told_in AFTER INSERT ON "jobs" REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_jobs_there();
--> statement-breakpoint
CREATE TRIGGER jobs_told_out AFTER DELETE ON "jobs" REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_jobs_there();
--> statement-breakpoint
CREATE TRIGGER jobs_told_anew AFTER UPDATE ON "jobs" FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION tell_job_status();
--> statement-breakpoint
-- What people wait for, and do: a task that waits for a person, who has taken it, how it was finished; and any that failed.
-- The others come and go by the hundred a second.
CREATE FUNCTION tell_task() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was_running boolean := TG_OP = 'UPDATE' AND OLD.status = 'running';
  about jsonb := jsonb_build_object('_id', NEW.id, 'jobId', NEW.job_id, 'job', NEW.doc #> '{job,name}', 'task', NEW.task,
    'name', NEW.name, 'summary', coalesce(NEW.doc ->> 'summary', ''), 'groups', coalesce(NEW.doc -> 'groups', '[]'),
    'owner', NEW.doc #> '{metrics,owner}', 'status', NEW.status);
  topic text;
BEGIN
  IF NEW.status = 'error' THEN
    IF TG_OP = 'UPDATE' AND OLD.status = 'error' THEN RETURN NULL; END IF;
    topic := 'taskErrored';
  ELSIF NEW.type IS DISTINCT FROM 'manual' THEN RETURN NULL;
  ELSIF NEW.status = 'running' AND NOT was_running THEN topic := 'taskWaiting';
  ELSIF NEW.status = 'running' AND OLD.doc #> '{metrics,owner}' IS DISTINCT FROM NEW.doc #> '{metrics,owner}' THEN
    topic := 'taskAssigned';
  ELSIF was_running AND NEW.status <> 'running' THEN
    topic := 'taskFinished';
    about := about || jsonb_build_object('finish_state', NEW.doc #> '{metrics,finish_state}', 'by', NEW.doc #> '{metrics,user}');
  ELSE RETURN NULL;
  END IF;
  PERFORM publish_events(jsonb_build_array(jsonb_build_object('source', '@vendor/operations-manager', 'topic', topic,
    'subjects', to_jsonb(ARRAY[NEW.job_id, NEW.id]), 'kind', 'job', 'documents', to_jsonb(ARRAY[NEW.job_id]),
    'readers', (SELECT readers_of_job(job.groups, job.project_id) FROM jobs job WHERE job.id = NEW.job_id), 'payload', about)));
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER job_tasks_told_in AFTER INSERT ON "job_tasks" FOR EACH ROW
  WHEN (NEW.type = 'manual' OR NEW.status = 'error') EXECUTE FUNCTION tell_task();
--> statement-breakpoint
CREATE TRIGGER job_tasks_told_anew AFTER UPDATE ON "job_tasks" FOR EACH ROW
  WHEN (NEW.type = 'manual' OR NEW.status = 'error') EXECUTE FUNCTION tell_task();
