-- written by hand
-- Triggers run for an account (docs/decisions/0056). What older versions kept as members that they did not know says nothing.
UPDATE triggers SET doc = doc - 'runAs' - 'lastResult', rev = rev + 1 WHERE doc ? 'runAs' OR doc ? 'lastResult';
--> statement-breakpoint
UPDATE triggers SET doc = triggers.doc || jsonb_build_object('runAs', accounts.id), rev = triggers.rev + 1
FROM accounts WHERE accounts.id = triggers.doc ->> 'lastUpdatedBy' AND accounts.deleted IS NOT TRUE;
--> statement-breakpoint
-- Manual and endpoint triggers run for whoever calls them: they need no account of their own.
UPDATE triggers SET rev = rev + 1, doc = doc || jsonb_build_object('enabled', false, 'runAs', NULL, 'lastResult',
    jsonb_build_object('at', floor(extract(epoch FROM now()) * 1000)::bigint, 'started', false, 'jobId', NULL, 'message',
      'Disabled by the upgrade: the account that last changed the trigger does not exist. Enable the trigger, and it runs for you'))
  || CASE type WHEN 'schedule' THEN '{"nextRunAt": null}'::jsonb ELSE '{}' END
WHERE type IN ('schedule', 'eventSystem') AND NOT doc ? 'runAs';
--> statement-breakpoint
-- Jobs that go on: for who started them; those that triggers started for the account of the triggers of that workflow,
-- where all of these name one. The others end in error at their next task with an effect, until somebody retries it.
UPDATE jobs SET doc = doc || jsonb_build_object('actingAccount', created_by), rev = rev + 1
WHERE status IN ('running', 'paused', 'error') AND created_by IS NOT NULL;
--> statement-breakpoint
WITH started (name, account) AS (
  SELECT workflows.name, min(triggers.doc ->> 'runAs')
  FROM triggers JOIN automations ON automations.id = triggers.action_id
    JOIN workflows ON workflows.id = automations.component_id
  WHERE triggers.type IN ('schedule', 'eventSystem')
  GROUP BY workflows.name
  HAVING count(DISTINCT coalesce(triggers.doc ->> 'runAs', '')) = 1 AND min(triggers.doc ->> 'runAs') IS NOT NULL
)
UPDATE jobs SET doc = jobs.doc || jsonb_build_object('actingAccount', started.account), rev = jobs.rev + 1
FROM started JOIN jobs root ON root.name = started.name AND root.created_by IS NULL
WHERE root.id = jobs.doc #>> '{ancestors,0}' AND jobs.created_by IS NULL AND jobs.status IN ('running', 'paused', 'error');
--> statement-breakpoint
-- How often jobs ended in each state, whichever process did the work.
CREATE SEQUENCE jobs_ended_complete;
--> statement-breakpoint
CREATE SEQUENCE jobs_ended_error;
--> statement-breakpoint
CREATE SEQUENCE jobs_ended_canceled;
--> statement-breakpoint
CREATE FUNCTION count_ended_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM nextval('jobs_ended_' || NEW.status);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER jobs_ended AFTER UPDATE ON "jobs" FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status AND NEW.status IN ('complete', 'error', 'canceled'))
  EXECUTE FUNCTION count_ended_job();
