ALTER TABLE "backup_runs" ADD COLUMN "published" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "published" timestamp with time zone;--> statement-breakpoint
-- written by hand: runs of backups, campaigns, inventory sources, Git and retention publish their progress and their end
-- (docs/decisions/0102). Progress over many devices is published at most once a second for each run.
CREATE FUNCTION run_event(
  source text, topic text, subjects text[], kind text, documents text[], readers jsonb, payload jsonb
) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object('source', source, 'topic', topic, 'subjects', to_jsonb(array_remove(subjects, NULL)),
    'kind', kind, 'documents', to_jsonb(documents), 'readers', readers, 'payload', payload)
$$;
--> statement-breakpoint
CREATE FUNCTION backup_run_event(run backup_runs) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT run_event('@vendor/configuration-manager',
    CASE run.status WHEN 'running' THEN 'backupRunProgressed' ELSE 'backupRunFinished' END,
    ARRAY[run.id, run.schedule_id], 'backupSchedule', '{}', NULL,
    jsonb_build_object('runId', run.id, 'scheduleId', run.schedule_id, 'status', run.status, 'total', count(*),
      'stored', count(*) FILTER (WHERE status = 'stored'), 'unchanged', count(*) FILTER (WHERE status = 'unchanged'),
      'failed', count(*) FILTER (WHERE status = 'failed'), 'waiting', count(*) FILTER (WHERE status = 'waiting')))
  FROM backup_run_devices WHERE run_id = run.id
$$;
--> statement-breakpoint
CREATE FUNCTION publish_backup_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM publish_events(jsonb_build_array(backup_run_event(NEW)));
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER backup_runs_published AFTER UPDATE ON "backup_runs" FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.pass IS DISTINCT FROM NEW.pass
    OR OLD.next_attempt IS DISTINCT FROM NEW.next_attempt)
  EXECUTE FUNCTION publish_backup_run();
--> statement-breakpoint
-- A run whose row is locked publishes with the transaction that holds the lock, or after it: nobody waits here.
CREATE FUNCTION publish_backup_progress() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  run backup_runs;
BEGIN
  FOR run IN
    UPDATE backup_runs SET published = clock_timestamp() WHERE id = ANY (ARRAY(
      SELECT id FROM backup_runs WHERE id IN (SELECT run_id FROM changed) AND status = 'running'
        AND (published IS NULL OR published < clock_timestamp() - interval '1 second')
      ORDER BY id FOR NO KEY UPDATE SKIP LOCKED))
    RETURNING *
  LOOP
    PERFORM publish_events(jsonb_build_array(backup_run_event(run)));
  END LOOP;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER backup_run_devices_published_in AFTER INSERT ON "backup_run_devices" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION publish_backup_progress();
--> statement-breakpoint
CREATE TRIGGER backup_run_devices_published AFTER UPDATE ON "backup_run_devices" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION publish_backup_progress();
--> statement-breakpoint
CREATE FUNCTION campaign_event(campaign campaigns) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT run_event('@vendor/configuration-manager',
    CASE WHEN campaign.doc ->> 'status' IN ('preparing', 'review', 'approved', 'running')
      THEN 'campaignProgressed' ELSE 'campaignFinished' END,
    ARRAY[campaign.id, campaign.tree_id], 'campaign', ARRAY[campaign.tree_id],
    (SELECT read_groups FROM golden_trees WHERE id = campaign.tree_id),
    jsonb_build_object('_id', campaign.id, 'name', campaign.doc -> 'name', 'treeId', campaign.tree_id,
      'status', campaign.doc -> 'status', 'wave', campaign.doc -> 'wave', 'reason', campaign.doc -> 'reason',
      'devices', (SELECT coalesce(jsonb_object_agg(status, devices), '{}') FROM (
        SELECT status, count(*) AS devices FROM campaign_devices WHERE campaign_id = campaign.id GROUP BY status) AS counted)))
$$;
--> statement-breakpoint
CREATE FUNCTION publish_campaign() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM publish_events(jsonb_build_array(campaign_event(NEW)));
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- At the end of the transaction, which also writes the devices of a campaign that stops.
CREATE CONSTRAINT TRIGGER campaigns_published AFTER UPDATE ON "campaigns" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.doc IS DISTINCT FROM NEW.doc) EXECUTE FUNCTION publish_campaign();
--> statement-breakpoint
CREATE FUNCTION publish_campaign_progress() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  campaign campaigns;
BEGIN
  FOR campaign IN
    UPDATE campaigns SET published = clock_timestamp() WHERE id = ANY (ARRAY(
      SELECT id FROM campaigns WHERE id IN (SELECT campaign_id FROM changed)
        AND doc ->> 'status' IN ('preparing', 'review', 'approved', 'running')
        AND (published IS NULL OR published < clock_timestamp() - interval '1 second')
      ORDER BY id FOR NO KEY UPDATE SKIP LOCKED))
    RETURNING *
  LOOP
    PERFORM publish_events(jsonb_build_array(campaign_event(campaign)));
  END LOOP;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER campaign_devices_published_in AFTER INSERT ON "campaign_devices" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION publish_campaign_progress();
--> statement-breakpoint
CREATE TRIGGER campaign_devices_published AFTER UPDATE ON "campaign_devices" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION publish_campaign_progress();
--> statement-breakpoint
CREATE FUNCTION publish_inventory_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM publish_events(jsonb_build_array(run_event('@vendor/inventory',
    CASE NEW.status WHEN 'running' THEN 'inventoryRunProgressed' ELSE 'inventoryRunFinished' END,
    ARRAY[NEW.id, NEW.source], 'inventorySource', '{}', NULL,
    jsonb_build_object('runId', NEW.id, 'source', NEW.source, 'status', NEW.status,
      'done', NEW.doc #> '{progress,done}', 'total', NEW.doc #> '{progress,total}', 'new', NEW.doc -> 'new',
      'changed', NEW.doc -> 'changed', 'gone', NEW.doc -> 'gone', 'unchanged', NEW.doc -> 'unchanged',
      'message', left(NEW.doc #>> '{error,message}', 2000)))));
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER inventory_runs_published_in AFTER INSERT ON "inventory_runs" FOR EACH ROW
  EXECUTE FUNCTION publish_inventory_run();
--> statement-breakpoint
CREATE TRIGGER inventory_runs_published AFTER UPDATE ON "inventory_runs" FOR EACH ROW
  WHEN (OLD.doc IS DISTINCT FROM NEW.doc OR OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION publish_inventory_run();
--> statement-breakpoint
CREATE FUNCTION publish_git_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM publish_events(jsonb_build_array(run_event('@vendor/git',
    CASE NEW.status WHEN 'running' THEN 'gitRunStarted' ELSE 'gitRunFinished' END,
    ARRAY[NEW.id, NEW.remote_id], 'gitRemote', '{}', NULL,
    jsonb_build_object('runId', NEW.id, 'remoteId', NEW.remote_id,
      'remote', (SELECT name FROM git_remotes WHERE id = NEW.remote_id), 'action', NEW.action, 'branch', NEW.branch,
      'dryRun', NEW.dry_run, 'status', NEW.status, 'message', left(NEW.error, 2000)))));
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER git_runs_published_in AFTER INSERT ON "git_runs" FOR EACH ROW EXECUTE FUNCTION publish_git_run();
--> statement-breakpoint
CREATE TRIGGER git_runs_published AFTER UPDATE ON "git_runs" FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION publish_git_run();
--> statement-breakpoint
CREATE FUNCTION publish_retention_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM publish_events(jsonb_build_array(run_event('@vendor/retention',
    CASE NEW.doc ->> 'status' WHEN 'running' THEN 'retentionRunProgressed' ELSE 'retentionRunFinished' END,
    ARRAY[NEW.id], 'retentionRun', '{}', NULL,
    jsonb_build_object('_id', NEW.id, 'trigger', NEW.doc -> 'trigger', 'status', NEW.doc -> 'status',
      'steps', NEW.doc -> 'steps', 'deleted', NEW.doc -> 'deleted', 'message', left(NEW.doc ->> 'error', 2000)))));
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER retention_runs_published_in AFTER INSERT ON "retention_runs" FOR EACH ROW
  EXECUTE FUNCTION publish_retention_run();
--> statement-breakpoint
CREATE TRIGGER retention_runs_published AFTER UPDATE ON "retention_runs" FOR EACH ROW
  WHEN (OLD.doc IS DISTINCT FROM NEW.doc) EXECUTE FUNCTION publish_retention_run();
