CREATE TABLE "directory_identities" (
	"provider_id" text NOT NULL,
	"subject" text collate "C" NOT NULL,
	"account_id" text NOT NULL,
	"groups" jsonb NOT NULL,
	"checked_at" timestamp with time zone DEFAULT now() NOT NULL,
	"confirmed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "directory_identities_provider_id_subject_pk" PRIMARY KEY("provider_id","subject")
);
--> statement-breakpoint
CREATE TABLE "sign_in_provider_contacts" (
	"provider_id" text PRIMARY KEY NOT NULL,
	"ok" boolean NOT NULL,
	"reason" text,
	"detail" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "second_factors" (
	"account_id" text PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"recovery_codes" jsonb NOT NULL,
	"confirmed" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_providers" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	CONSTRAINT "sign_in_providers_name" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "used_once" (
	"key" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "provider_id" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "provider_session" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "subject" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "provider_tokens" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "provider_checked_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "provider_confirmed_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "directory_identities" ADD CONSTRAINT "directory_identities_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "second_factors" ADD CONSTRAINT "second_factors_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "directory_identities_account" ON "directory_identities" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "used_once_expires" ON "used_once" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sessions_provider" ON "sessions" USING btree ("provider_id","subject") WHERE provider_id is not null;