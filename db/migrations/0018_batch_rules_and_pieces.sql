CREATE TABLE "compliance_batch_piece" (
	"batch_id" text collate "C" NOT NULL,
	"piece" integer NOT NULL,
	"input" text NOT NULL,
	CONSTRAINT "compliance_batch_piece_batch_id_piece_pk" PRIMARY KEY("batch_id","piece")
);
--> statement-breakpoint
CREATE TABLE "compliance_batch_rules" (
	"batch_id" text collate "C" PRIMARY KEY NOT NULL,
	"sources" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "compliance_batch_piece" ADD CONSTRAINT "compliance_batch_piece_batch_id_compliance_batch_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."compliance_batch"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "compliance_batch_rules" ADD CONSTRAINT "compliance_batch_rules_batch_id_compliance_batch_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."compliance_batch"("id") ON DELETE cascade ON UPDATE no action;