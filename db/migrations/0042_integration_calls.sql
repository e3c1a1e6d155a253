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
CREATE TABLE "integration_models" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'versionId') STORED,
	"title" text NOT NULL,
	"specification" text NOT NULL,
	"operation_count" integer NOT NULL,
	"security_schemes" jsonb NOT NULL,
	"source" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "integration_operations" (
	"model" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"place" integer NOT NULL,
	"method" text NOT NULL,
	"path" text NOT NULL,
	"summary" text NOT NULL,
	"tags" jsonb NOT NULL,
	"deprecated" boolean NOT NULL,
	"operation" jsonb NOT NULL,
	CONSTRAINT "integration_operations_model_name_pk" PRIMARY KEY("model","name")
);
--> statement-breakpoint
ALTER TABLE "integration_rates" ADD CONSTRAINT "integration_rates_adapter_adapters_id_fk" FOREIGN KEY ("adapter") REFERENCES "public"."adapters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integration_slots" ADD CONSTRAINT "integration_slots_adapter_adapters_id_fk" FOREIGN KEY ("adapter") REFERENCES "public"."adapters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integration_tokens" ADD CONSTRAINT "integration_tokens_adapter_adapters_id_fk" FOREIGN KEY ("adapter") REFERENCES "public"."adapters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integration_operations" ADD CONSTRAINT "integration_operations_model_integration_models_id_fk" FOREIGN KEY ("model") REFERENCES "public"."integration_models"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "integration_operations_place" ON "integration_operations" USING btree ("model","place");