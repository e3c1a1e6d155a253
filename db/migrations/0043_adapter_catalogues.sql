CREATE TABLE "adapter_catalogue_tasks" (
	"type" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"place" integer NOT NULL,
	"summary" text NOT NULL,
	"task" jsonb NOT NULL,
	CONSTRAINT "adapter_catalogue_tasks_type_name_pk" PRIMARY KEY("type","name")
);
--> statement-breakpoint
CREATE TABLE "adapter_catalogues" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"task_count" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "integration_rates" (
	"adapter" text collate "C" PRIMARY KEY NOT NULL,
	"next_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "integration_slots" (
	"adapter" text collate "C" NOT NULL,
	"slot" integer NOT NULL,
	"holder" text,
	"until" timestamp with time zone NOT NULL,
	CONSTRAINT "integration_slots_adapter_slot_pk" PRIMARY KEY("adapter","slot")
);
--> statement-breakpoint
CREATE TABLE "integration_tokens" (
	"adapter" text collate "C" NOT NULL,
	"scheme" text collate "C" NOT NULL,
	"sealed" text,
	"fingerprint" text NOT NULL,
	"expires_at" timestamp with time zone,
	"renewing_until" timestamp with time zone,
	CONSTRAINT "integration_tokens_adapter_scheme_pk" PRIMARY KEY("adapter","scheme")
);
--> statement-breakpoint
ALTER TABLE "adapter_catalogue_tasks" ADD CONSTRAINT "adapter_catalogue_tasks_type_adapter_catalogues_id_fk" FOREIGN KEY ("type") REFERENCES "public"."adapter_catalogues"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integration_rates" ADD CONSTRAINT "integration_rates_adapter_adapters_id_fk" FOREIGN KEY ("adapter") REFERENCES "public"."adapters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integration_slots" ADD CONSTRAINT "integration_slots_adapter_adapters_id_fk" FOREIGN KEY ("adapter") REFERENCES "public"."adapters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integration_tokens" ADD CONSTRAINT "integration_tokens_adapter_adapters_id_fk" FOREIGN KEY ("adapter") REFERENCES "public"."adapters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "adapter_catalogue_tasks_place" ON "adapter_catalogue_tasks" USING btree ("type","place");