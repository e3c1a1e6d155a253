ALTER TABLE "jobs" ADD COLUMN "progressed" text[];--> statement-breakpoint
-- written by hand: as before (0062_follow_jobs), but the step names the iterations that it wrote, so that those of the whole job
-- need not be read to find them. A step of a process that runs an earlier version names none; who follows the job reads it again.
CREATE OR REPLACE FUNCTION publish_job_progress() RETURNS trigger LANGUAGE plpgsql AS $$
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
      FROM job_tasks WHERE id = ANY (NEW.progressed) AND job_id = NEW.id
      WINDOW written AS (ORDER BY start_time, id)) AS numbered
    GROUP BY part) AS parts;
  RETURN NULL;
END
$$;
