CREATE TABLE "compliance_trend" (
	"tree_id" text collate "C" NOT NULL,
	"version" text collate "C",
	"node_path" text collate "C" NOT NULL,
	"day" date NOT NULL,
	"first_ts" timestamp with time zone NOT NULL,
	"last_ts" timestamp with time zone NOT NULL,
	"scores" double precision[] NOT NULL,
	"devices" integer[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "compliance_trend_change" (
	"tree_id" text collate "C" NOT NULL,
	"day" date NOT NULL
);
--> statement-breakpoint
CREATE INDEX "compliance_trend_part" ON "compliance_trend" USING btree ("tree_id","version","node_path","day");--> statement-breakpoint
CREATE INDEX "compliance_trend_day" ON "compliance_trend" USING btree ("tree_id","day");--> statement-breakpoint
CREATE INDEX "compliance_trend_change_day" ON "compliance_trend_change" USING btree ("tree_id","day");
--> statement-breakpoint
-- written by hand
-- Records the days of the complete reports that a statement wrote, one row for each tree and day (decision 0050).
CREATE FUNCTION note_compliance_trend_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    DELETE FROM compliance_trend;
    DELETE FROM compliance_trend_change;
  ELSE
    INSERT INTO compliance_trend_change (tree_id, day)
    SELECT DISTINCT tree_id, (ts AT TIME ZONE 'UTC')::date FROM changed WHERE status = 'complete';
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER compliance_report_trend_insert AFTER INSERT ON "compliance_report" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_compliance_trend_change();
--> statement-breakpoint
CREATE TRIGGER compliance_report_trend_delete AFTER DELETE ON "compliance_report" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_compliance_trend_change();
--> statement-breakpoint
CREATE TRIGGER compliance_report_trend_before AFTER UPDATE ON "compliance_report" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_compliance_trend_change();
--> statement-breakpoint
CREATE TRIGGER compliance_report_trend_after AFTER UPDATE ON "compliance_report" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_compliance_trend_change();
--> statement-breakpoint
CREATE TRIGGER compliance_report_trend_truncate AFTER TRUNCATE ON "compliance_report"
  FOR EACH STATEMENT EXECUTE FUNCTION note_compliance_trend_change();
--> statement-breakpoint
-- Returns a node path and all those above it, the whole tree as an empty path: everything that contains the node.
CREATE FUNCTION compliance_trend_parts(node_path text) RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
  SELECT '' UNION SELECT array_to_string((string_to_array(node_path, '/'))[1:depth], '/')
  FROM generate_subscripts(string_to_array(node_path, '/'), 1) depth
$$;
--> statement-breakpoint
-- Summarizes the reports of one tree on one day, in place of the previous summary. The changes are deleted before the
-- reports are read: a transaction that commits in between keeps its row, so the day counts as changed and is read again.
CREATE FUNCTION summarize_compliance_day(summarized_tree text, summarized_day date) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM compliance_trend_change WHERE tree_id = summarized_tree AND day = summarized_day;
  DELETE FROM compliance_trend WHERE tree_id = summarized_tree AND day = summarized_day;
  INSERT INTO compliance_trend (tree_id, version, node_path, day, first_ts, last_ts, scores, devices)
  WITH newest AS MATERIALIZED (
    SELECT DISTINCT ON (version, node_path, device) version, node_path, device, ts, id, score_default AS score
    FROM compliance_report
    WHERE tree_id = summarized_tree AND status = 'complete'
      AND ts >= summarized_day::timestamp AT TIME ZONE 'UTC' AND ts < (summarized_day + 1)::timestamp AT TIME ZONE 'UTC'
    ORDER BY version, node_path, device, ts DESC, id DESC
  ), parts AS MATERIALIZED (
    SELECT node_path, part COLLATE "C" AS part
    FROM (SELECT DISTINCT node_path FROM newest) AS places, compliance_trend_parts(node_path) AS part
  ), counted AS (
    SELECT DISTINCT ON (counted_version, part, device) counted_version, part, ts, score
    FROM newest JOIN parts USING (node_path), unnest(ARRAY[version, NULL]) AS counted_version
    ORDER BY counted_version, part, device, ts DESC, id DESC
  ), scored AS (
    SELECT counted_version, part, score, min(ts) AS first_ts, max(ts) AS last_ts, count(*)::integer AS devices
    FROM counted GROUP BY 1, 2, 3
  )
  SELECT summarized_tree, counted_version, part, summarized_day, min(first_ts), max(last_ts),
    array_agg(score ORDER BY score), array_agg(devices ORDER BY score)
  FROM scored GROUP BY counted_version, part;
END
$$;
--> statement-breakpoint
-- Summarizes the changed days of all trees, the latest first, but today, which changes most often, after them. Returns
-- whether days are left because a second has passed: nobody waits long for its locks. Does nothing while another session
-- summarizes. Only under READ COMMITTED, where each statement sees what was committed before the lock was acquired.
CREATE FUNCTION summarize_compliance_trend() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  changed record;
  started timestamptz;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed'
    OR NOT pg_try_advisory_xact_lock(hashtext('switchyard compliance trend')) THEN RETURN false; END IF;
  FOR changed IN
    SELECT tree_id, day FROM compliance_trend_change GROUP BY tree_id, day
    ORDER BY day = (now() AT TIME ZONE 'UTC')::date, day DESC, tree_id
  LOOP
    IF clock_timestamp() > started + interval '1 second' THEN RETURN true; END IF;
    started := coalesce(started, clock_timestamp());
    PERFORM summarize_compliance_day(changed.tree_id, changed.day);
  END LOOP;
  RETURN false;
END
$$;
--> statement-breakpoint
-- Days of existing reports are summarized by the running service, so that an upgrade does not wait for them.
INSERT INTO "compliance_trend_change" ("tree_id", "day")
SELECT DISTINCT "tree_id", ("ts" AT TIME ZONE 'UTC')::date FROM "compliance_report";
