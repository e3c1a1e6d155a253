-- A step of a job changes its row and nothing that is indexed: with room on its page, the row alone is written.
ALTER TABLE "jobs" SET (fillfactor = 70);
--> statement-breakpoint
DROP INDEX "jobs_by_change";
--> statement-breakpoint
ALTER TABLE "jobs" ALTER COLUMN "last_updated" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "minute_updated" text collate "C" GENERATED ALWAYS AS (left((doc ->> 'last_updated'), 16)) STORED NOT NULL;
--> statement-breakpoint
CREATE INDEX "jobs_by_change" ON "jobs" USING btree ("minute_updated");
--> statement-breakpoint
DROP TRIGGER jobs_counted_in ON "jobs";
--> statement-breakpoint
DROP TRIGGER jobs_counted_out ON "jobs";
--> statement-breakpoint
DROP TRIGGER jobs_counted_over ON "jobs";
--> statement-breakpoint
TRUNCATE "job_counts";
--> statement-breakpoint
ALTER TABLE "job_counts" ADD COLUMN "by" text NOT NULL;
--> statement-breakpoint
ALTER TABLE "job_counts" ADD COLUMN "created_by" text collate "C";
--> statement-breakpoint
ALTER TABLE "job_counts" ADD COLUMN "hour" integer;
--> statement-breakpoint
ALTER TABLE "job_counts" ADD COLUMN "kin" bigint GENERATED ALWAYS AS (hash_record_extended(row(by, name, created_by, hour, status, type, groups, project_id), 0)) STORED;
--> statement-breakpoint
CREATE INDEX "job_counts_creator" ON "job_counts" USING btree ("created_by","status");
--> statement-breakpoint
CREATE INDEX "job_counts_kin" ON "job_counts" USING btree ("kin");
--> statement-breakpoint
INSERT INTO job_counts (by, name, status, type, groups, project_id, n)
SELECT 'name', name, status, type, groups, project_id, count(*) FROM jobs GROUP BY 1, 2, 3, 4, 5, 6;
--> statement-breakpoint
INSERT INTO job_counts (by, created_by, status, type, groups, project_id, n)
SELECT 'creator', created_by, status, type, groups, project_id, count(*) FROM jobs GROUP BY 1, 2, 3, 4, 5, 6;
--> statement-breakpoint
INSERT INTO job_counts (by, hour, groups, project_id, n)
SELECT 'hour', start_time / 3600000, groups, project_id, count(*) FROM jobs GROUP BY 1, 2, 3, 4;
--> statement-breakpoint
-- Adds up what was appended lately, leaving to others what they add up at this moment. What it reads does not grow with
-- the counts: what is old and stands once is not looked at.
CREATE FUNCTION add_up_job_counts() RETURNS void LANGUAGE sql AS $$
  WITH fresh AS (
    SELECT kin FROM job_counts ORDER BY id DESC LIMIT 4000
  ), grown AS (
    SELECT kin FROM job_counts WHERE kin = ANY (ARRAY(SELECT DISTINCT kin FROM fresh)) GROUP BY kin HAVING count(*) > 1
  ), taken AS (
    SELECT id FROM job_counts WHERE kin = ANY (ARRAY(SELECT kin FROM grown)) FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM job_counts WHERE id = ANY (ARRAY(SELECT id FROM taken))
    RETURNING by, name, created_by, hour, status, type, groups, project_id, n
  )
  INSERT INTO job_counts (by, name, created_by, hour, status, type, groups, project_id, n)
  SELECT by, name, created_by, hour, status, type, groups, project_id, sum(n)
  FROM gone GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(n) <> 0
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION count_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO job_counts (by, name, created_by, status, type, groups, project_id, n) VALUES
      ('name', OLD.name, NULL, OLD.status, OLD.type, OLD.groups, OLD.project_id, -1),
      ('name', NEW.name, NULL, NEW.status, NEW.type, NEW.groups, NEW.project_id, 1),
      ('creator', NULL, OLD.created_by, OLD.status, OLD.type, OLD.groups, OLD.project_id, -1),
      ('creator', NULL, NEW.created_by, NEW.status, NEW.type, NEW.groups, NEW.project_id, 1);
    IF (OLD.start_time, OLD.groups, OLD.project_id) IS DISTINCT FROM (NEW.start_time, NEW.groups, NEW.project_id) THEN
      INSERT INTO job_counts (by, hour, groups, project_id, n) VALUES
        ('hour', OLD.start_time / 3600000, OLD.groups, OLD.project_id, -1),
        ('hour', NEW.start_time / 3600000, NEW.groups, NEW.project_id, 1);
    END IF;
  ELSE
    INSERT INTO job_counts (by, name, created_by, hour, status, type, groups, project_id, n)
    SELECT counted.by,
      CASE counted.by WHEN 'name' THEN name END,
      CASE counted.by WHEN 'creator' THEN created_by END,
      CASE counted.by WHEN 'hour' THEN start_time / 3600000 END,
      CASE WHEN counted.by <> 'hour' THEN status END,
      CASE WHEN counted.by <> 'hour' THEN type END,
      groups, project_id, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
    FROM changed, (VALUES ('name'), ('creator'), ('hour')) AS counted (by)
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
  END IF;
  IF random() < 1 / 256.0 AND current_setting('transaction_isolation') = 'read committed' THEN
    PERFORM add_up_job_counts();
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
  WHEN ((OLD.name, OLD.created_by, OLD.start_time, OLD.status, OLD.type, OLD.groups, OLD.project_id)
    IS DISTINCT FROM (NEW.name, NEW.created_by, NEW.start_time, NEW.status, NEW.type, NEW.groups, NEW.project_id))
  EXECUTE FUNCTION count_jobs();
