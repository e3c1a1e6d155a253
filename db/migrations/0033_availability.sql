CREATE TABLE "work_losses" (
	"work_id" text NOT NULL,
	"executor" text NOT NULL,
	"steps" integer NOT NULL,
	CONSTRAINT "work_losses_pkey" PRIMARY KEY("work_id","executor")
);
