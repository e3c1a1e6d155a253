CREATE INDEX "audit_document_id" ON "audit" USING hash ((doc #>> '{document,id}'));--> statement-breakpoint
CREATE INDEX "audit_document_name" ON "audit" USING hash ((doc #>> '{document,name}'));--> statement-breakpoint
CREATE INDEX "audit_documents" ON "audit" USING gin ((doc -> 'documents') jsonb_path_ops) WHERE doc -> 'documents' is not null;