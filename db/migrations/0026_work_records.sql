CREATE TABLE "work_records" (
	"work_id" text NOT NULL,
	"step" integer NOT NULL,
	"output" text NOT NULL,
	CONSTRAINT "work_records_pkey" PRIMARY KEY("work_id","step")
);
