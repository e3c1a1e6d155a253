-- written by hand
-- Two writers that create the same partition could both reach its constraints: the second met duplicate_object.
CREATE OR REPLACE FUNCTION "make_compliance_report_partition"(moment timestamp with time zone) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
	month timestamp := date_trunc('month', moment AT TIME ZONE 'UTC');
	partition text := 'compliance_report_' || to_char(month, 'YYYYMM');
BEGIN
	IF to_regclass(partition) IS NOT NULL THEN RETURN true; END IF;
	EXECUTE format('CREATE TABLE %I (LIKE compliance_report INCLUDING ALL)', partition);
	EXECUTE format('ALTER TABLE compliance_report ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition,
		month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
	RETURN true;
EXCEPTION
	-- another writer creates it, a reader holds it for long, or the default partition already has rows of that month
	WHEN duplicate_table OR duplicate_object OR unique_violation OR lock_not_available OR deadlock_detected OR check_violation THEN
		RETURN to_regclass(partition) IS NOT NULL;
END
$$;
