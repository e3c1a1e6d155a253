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
ALTER TABLE "integration_rates" ADD CONSTRAINT "integration_rates_adapter_adapters_id_fk" FOREIGN KEY ("adapter") REFERENCES "public"."adapters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integration_slots" ADD CONSTRAINT "integration_slots_adapter_adapters_id_fk" FOREIGN KEY ("adapter") REFERENCES "public"."adapters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "integration_tokens" ADD CONSTRAINT "integration_tokens_adapter_adapters_id_fk" FOREIGN KEY ("adapter") REFERENCES "public"."adapters"("id") ON DELETE cascade ON UPDATE no action;