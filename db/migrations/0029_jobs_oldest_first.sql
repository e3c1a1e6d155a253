DROP INDEX "job_tasks_by_status";--> statement-breakpoint
DROP INDEX "jobs_by_start";--> statement-breakpoint
ALTER TABLE "jobs" ALTER COLUMN "start_time" SET NOT NULL;--> statement-breakpoint
CREATE INDEX "job_tasks_by_status" ON "job_tasks" USING btree ("status","type","start_time" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "jobs_by_start" ON "jobs" USING btree ("start_time" DESC NULLS FIRST,"id");