-- `job_counts` says how many jobs there are by name, status, type and who sees them, exact in every snapshot: what a
-- transaction appends is seen, and taken back, with what it wrote. Nobody updates a row, so no job waits for another; now
-- and then a writer adds up what was appended, leaving to others what they add up at this moment.
CREATE FUNCTION count_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO job_counts (name, status, type, groups, project_id, n) VALUES
      (OLD.name, OLD.status, OLD.type, OLD.groups, OLD.project_id, -1),
      (NEW.name, NEW.status, NEW.type, NEW.groups, NEW.project_id, 1);
  ELSE
    INSERT INTO job_counts (name, status, type, groups, project_id, n)
    SELECT name, status, type, groups, project_id, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
    FROM changed GROUP BY 1, 2, 3, 4, 5;
  END IF;
  IF random() < 1 / 64.0 AND current_setting('transaction_isolation') = 'read committed' THEN
    WITH grown AS (
      SELECT name, status, type, groups, project_id FROM job_counts GROUP BY 1, 2, 3, 4, 5 HAVING count(*) > 1
    ), taken AS (
      SELECT counts.id FROM job_counts counts WHERE EXISTS (SELECT FROM grown
        WHERE (grown.name, grown.status, grown.type, grown.groups, grown.project_id)
          IS NOT DISTINCT FROM (counts.name, counts.status, counts.type, counts.groups, counts.project_id))
      FOR UPDATE OF counts SKIP LOCKED
    ), gone AS (
      DELETE FROM job_counts WHERE id = ANY (ARRAY(SELECT id FROM taken)) RETURNING name, status, type, groups, project_id, n
    )
    INSERT INTO job_counts (name, status, type, groups, project_id, n)
    SELECT name, status, type, groups, project_id, sum(n) FROM gone GROUP BY 1, 2, 3, 4, 5 HAVING sum(n) <> 0;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER jobs_counted_in AFTER INSERT ON "jobs" REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_jobs();
--> statement-breakpoint
CREATE TRIGGER jobs_counted_out AFTER DELETE ON "jobs" REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_jobs();
--> statement-breakpoint
CREATE TRIGGER jobs_counted_over AFTER UPDATE ON "jobs" FOR EACH ROW
  WHEN ((OLD.name, OLD.status, OLD.type, OLD.groups, OLD.project_id) IS DISTINCT FROM (NEW.name, NEW.status, NEW.type, NEW.groups, NEW.project_id))
  EXECUTE FUNCTION count_jobs();
