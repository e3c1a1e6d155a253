ALTER TABLE "jobs" ADD COLUMN "followed_until" timestamp with time zone;--> statement-breakpoint
-- written by hand: every step of a job that a stream follows is published, and stored nowhere (docs/decisions/0127). The
-- condition of the trigger reads the row alone, so that a job that nobody follows costs no more than before.
-- Publishes the iterations of tasks that this transaction wrote, 40 an event: a notification holds 8000 bytes.
CREATE FUNCTION publish_job_progress() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM publish_events(jsonb_agg(jsonb_build_object('source', '@vendor/operations-manager', 'topic', 'jobProgressed',
    'subjects', jsonb_build_array(NEW.id), 'kind', 'job', 'documents', jsonb_build_array(NEW.id), 'readers', '["-"]'::jsonb,
    'transient', true, 'payload', jsonb_build_object('_id', NEW.id, 'status', NEW.status,
      'progress', NEW.doc #> '{metrics,progress}', 'tasks', tasks)) ORDER BY part))
  FROM (
    SELECT part, coalesce(jsonb_agg(task ORDER BY place) FILTER (WHERE task IS NOT NULL), '[]') AS tasks
    FROM (SELECT 0 AS part, 0 AS place, NULL::jsonb AS task
      UNION ALL
      SELECT (row_number() OVER written - 1) / 40, row_number() OVER written, jsonb_build_object('task', task,
        'status', status, 'start_time', doc #> '{metrics,start_time}', 'end_time', doc #> '{metrics,end_time}',
        'finish_state', doc #> '{metrics,finish_state}', 'owner', doc #> '{metrics,owner}')
      FROM job_tasks WHERE job_id = NEW.id AND xmin = pg_current_xact_id()::xid
      WINDOW written AS (ORDER BY start_time, id)) AS numbered
    GROUP BY part) AS parts;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER jobs_followed AFTER UPDATE ON "jobs" FOR EACH ROW
  WHEN (NEW.followed_until > now() AND NEW.rev <> OLD.rev) EXECUTE FUNCTION publish_job_progress();
--> statement-breakpoint
-- As before (0021_publish_events); a transient event gets no id and is sent to all processes instead of being stored.
CREATE OR REPLACE FUNCTION sequence_events(most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  sequenced bigint;
  passed bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM event_outbox) THEN RETURN 0; END IF;
  IF NOT pg_try_advisory_xact_lock(7398211641) THEN RETURN NULL; END IF;
  WITH taken AS (
    DELETE FROM event_outbox WHERE n = ANY (ARRAY(SELECT n FROM event_outbox ORDER BY n LIMIT most)) RETURNING n, events, at
  ), listed AS MATERIALIZED (
    SELECT n, place, at, event FROM taken, jsonb_array_elements(events) WITH ORDINALITY AS elements (event, place)
  ), stored AS (
    INSERT INTO events (source, topic, subjects, kind, documents, readers, time, payload)
    SELECT event ->> 'source', event ->> 'topic', ARRAY(SELECT jsonb_array_elements_text(event -> 'subjects')),
      event ->> 'kind', ARRAY(SELECT jsonb_array_elements_text(coalesce(event -> 'documents', '[]'))),
      nullif(event -> 'readers', 'null'), at, event -> 'payload'
    FROM listed WHERE NOT event ? 'transient'
    ORDER BY n, place
    RETURNING 1
  ), sent AS (
    SELECT count(pg_notify('transient_events', (CASE
      WHEN octet_length(event::text) < 7800 THEN event ELSE event #- '{payload,tasks}'
    END || jsonb_build_object('time', at))::text)::text) AS n
    FROM (SELECT event, at FROM listed WHERE event ? 'transient' ORDER BY n, place) AS ordered
  )
  SELECT (SELECT count(*) FROM stored), (SELECT n FROM sent) INTO sequenced, passed;
  IF sequenced > 0 THEN PERFORM pg_notify('events', ''); END IF;
  RETURN sequenced + passed;
END
$$;
