BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0012');
CREATE TABLE codes (
	code VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	until FLOAT NOT NULL, 
	CONSTRAINT pk_codes PRIMARY KEY (code), 
	CONSTRAINT fk_codes_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "codes" VALUES('110','GjMYeGZfq94L09xDJhhfew',1700000111.0);
CREATE TABLE commitments (
	number INTEGER NOT NULL, 
	previous VARCHAR NOT NULL, 
	commitment VARCHAR NOT NULL, 
	link VARCHAR NOT NULL, 
	secret VARCHAR NOT NULL, 
	token VARCHAR NOT NULL, 
	made FLOAT NOT NULL, 
	CONSTRAINT pk_commitments PRIMARY KEY (number), 
	CONSTRAINT uq_commitments_commitment UNIQUE (commitment)
);
INSERT INTO "commitments" VALUES(1,'0000000000000000000000000000000000000000000000000000000000000000','aaba1a4b345c17965c9ad68a42e3b01c2cc1ba6e434f316b2b570c2ed9785c11','0e9fb5f7a77bfd103bb918f58a3fc89606122684c4805969484dd894f39fa1d1','c5501788e584d2f00a6cdd9f93b6579a317bd02d850e57c1ca9e7fc9ecc35d1f','OYAaWhL_E_siDLdF',1.79589052384713697427e+09);
INSERT INTO "commitments" VALUES(100,'101','102','103','104','105',1700000106.0);
CREATE TABLE dailies (
	day VARCHAR NOT NULL, 
	game VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	token VARCHAR, 
	begun FLOAT NOT NULL, 
	finished FLOAT, 
	rank INTEGER, 
	score INTEGER, 
	won BOOLEAN NOT NULL, 
	resigned BOOLEAN NOT NULL, 
	tried JSON NOT NULL, 
	CONSTRAINT pk_dailies PRIMARY KEY (day, game, person), 
	CONSTRAINT fk_dailies_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE, 
	CONSTRAINT uq_dailies_token UNIQUE (token)
);
INSERT INTO "dailies" VALUES('112','113','GjMYeGZfq94L09xDJhhfew','OYAaWhL_E_siDLdF',1700000114.0,1700000115.0,2,0,1,1,'[]');
CREATE TABLE handled (
	token VARCHAR NOT NULL, 
	ply INTEGER NOT NULL, 
	at FLOAT NOT NULL, 
	CONSTRAINT pk_handled PRIMARY KEY (token, ply), 
	CONSTRAINT fk_handled_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE
);
INSERT INTO "handled" VALUES('OYAaWhL_E_siDLdF',121,1700000122.0);
CREATE TABLE "log" (
	token VARCHAR NOT NULL, 
	ply INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	payload TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	person VARCHAR, 
	CONSTRAINT pk_log PRIMARY KEY (token, ply), 
	CONSTRAINT fk_log_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE
);
INSERT INTO "log" VALUES('OYAaWhL_E_siDLdF',0,'pace',-1,'{"pace":"slow"}',1.79589052383720040317e+09,NULL);
INSERT INTO "log" VALUES('OYAaWhL_E_siDLdF',1,'say',0,'{"text":"Hello"}',1.79589052412814044953e+09,'GjMYeGZfq94L09xDJhhfew');
INSERT INTO "log" VALUES('OYAaWhL_E_siDLdF',2,'resign',0,'{"level":"club"}',1.7958905241608874798e+09,NULL);
CREATE TABLE notices (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	at FLOAT NOT NULL, 
	sender VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	about VARCHAR NOT NULL
);
CREATE TABLE people (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	created FLOAT NOT NULL, 
	CONSTRAINT pk_people PRIMARY KEY (id)
);
INSERT INTO "people" VALUES('GjMYeGZfq94L09xDJhhfew','Anna',1.79589052232506537435e+09);
INSERT INTO "people" VALUES('TqhfKN1TwmxTHzXyoi__eg','Ben',1.7958905223646726609e+09);
CREATE TABLE records (
	token VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	line TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	CONSTRAINT pk_records PRIMARY KEY (token)
);
INSERT INTO "records" VALUES('107','GjMYeGZfq94L09xDJhhfew','108',1700000109.0);
CREATE TABLE results (
	token VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	person VARCHAR NOT NULL, 
	game VARCHAR NOT NULL, 
	seats INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	score INTEGER, 
	won BOOLEAN NOT NULL, 
	counts BOOLEAN NOT NULL, 
	undos INTEGER NOT NULL, 
	moves INTEGER NOT NULL, 
	reason VARCHAR NOT NULL, 
	at FLOAT NOT NULL, 
	CONSTRAINT pk_results PRIMARY KEY (token, seat), 
	CONSTRAINT fk_results_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE
);
INSERT INTO "results" VALUES('OYAaWhL_E_siDLdF',0,'GjMYeGZfq94L09xDJhhfew','double-down',2,2,NULL,0,1,0,0,'resigned',1.7958905241608874798e+09);
CREATE TABLE review_jobs (
	number INTEGER NOT NULL, 
	"key" VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	line TEXT NOT NULL, 
	token VARCHAR, 
	record VARCHAR, 
	process VARCHAR DEFAULT '' NOT NULL, 
	heard FLOAT DEFAULT 0 NOT NULL, 
	done INTEGER DEFAULT 0 NOT NULL, 
	total INTEGER DEFAULT 0 NOT NULL, 
	problem TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_review_jobs PRIMARY KEY (number), 
	CONSTRAINT fk_review_jobs_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE, 
	CONSTRAINT fk_review_jobs_record FOREIGN KEY(record) REFERENCES records (token) ON DELETE CASCADE, 
	CONSTRAINT uq_review_jobs_key UNIQUE ("key")
);
INSERT INTO "review_jobs" VALUES(123,'124','GjMYeGZfq94L09xDJhhfew','125','OYAaWhL_E_siDLdF','107','',0.0,0,0,'');
CREATE TABLE reviews (
	"key" VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	iterations INTEGER NOT NULL, 
	token VARCHAR, 
	record VARCHAR, 
	at FLOAT NOT NULL, 
	review TEXT NOT NULL, 
	CONSTRAINT pk_reviews PRIMARY KEY ("key"), 
	CONSTRAINT fk_reviews_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE, 
	CONSTRAINT fk_reviews_record FOREIGN KEY(record) REFERENCES records (token) ON DELETE CASCADE
);
INSERT INTO "reviews" VALUES('126',1,2,'OYAaWhL_E_siDLdF','107',1700000129.0,'130');
CREATE TABLE seats (
	token VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	person VARCHAR, 
	bot VARCHAR NOT NULL, 
	resigned BOOLEAN NOT NULL, 
	CONSTRAINT pk_seats PRIMARY KEY (token, seat), 
	CONSTRAINT fk_seats_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE
);
INSERT INTO "seats" VALUES('OYAaWhL_E_siDLdF',0,'Anna','GjMYeGZfq94L09xDJhhfew','club',1);
INSERT INTO "seats" VALUES('OYAaWhL_E_siDLdF',1,'Ada',NULL,'club',0);
CREATE TABLE secrets (
	name VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	created FLOAT NOT NULL, 
	CONSTRAINT pk_secrets PRIMARY KEY (name)
);
INSERT INTO "secrets" VALUES('fair deals','483bf481bd8582cd4d70f5aa2b2e6aaa39072bb8b152f057dfb151e4840ee948',1.79589052193281340603e+09);
INSERT INTO "secrets" VALUES('daily deals','905bf0166615a825528d07ab2faef9837622c043a4c0b809c21460d457e90d5e',1.79589052199636840822e+09);
CREATE TABLE sessions (
	id VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	device VARCHAR NOT NULL, 
	begun FLOAT NOT NULL, 
	seen FLOAT NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (id), 
	CONSTRAINT fk_sessions_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "sessions" VALUES('rFC3aiZYNK7BvlOdlWhl8g','GjMYeGZfq94L09xDJhhfew','testclient',1.79589052233630132671e+09,1795890524.15961);
INSERT INTO "sessions" VALUES('9Ayb3-QeA5yX6ZDXDCE8nQ','TqhfKN1TwmxTHzXyoi__eg','testclient',1.79589052236776041985e+09,1.79589052236776041985e+09);
CREATE TABLE shares (
	id VARCHAR NOT NULL, 
	token VARCHAR NOT NULL, 
	at FLOAT NOT NULL, 
	CONSTRAINT pk_shares PRIMARY KEY (id), 
	CONSTRAINT fk_shares_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE, 
	CONSTRAINT uq_shares_token UNIQUE (token)
);
INSERT INTO "shares" VALUES('131','OYAaWhL_E_siDLdF',1700000132.0);
CREATE TABLE tables (
	token VARCHAR NOT NULL, 
	invite VARCHAR NOT NULL, 
	game VARCHAR NOT NULL, 
	rules INTEGER NOT NULL, 
	options JSON NOT NULL, 
	seed VARCHAR NOT NULL, 
	seats JSON NOT NULL, 
	host VARCHAR, 
	public BOOLEAN NOT NULL, 
	"before" VARCHAR NOT NULL, 
	created FLOAT NOT NULL, 
	changed FLOAT NOT NULL, 
	status VARCHAR NOT NULL, 
	turn INTEGER, daily VARCHAR DEFAULT '' NOT NULL, fair JSON, rewritten INTEGER DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_tables PRIMARY KEY (token), 
	CONSTRAINT uq_tables_invite UNIQUE (invite)
);
INSERT INTO "tables" VALUES('OYAaWhL_E_siDLdF','Uw5_FTZDFwxwLEzE0okByQ','double-down',1,'{"forgetful": false, "repeats-cost": false, "ages": null, "cards": null}','c5501788e584d2f00a6cdd9f93b6579a317bd02d850e57c1ca9e7fc9ecc35d1f','[{"name": "Anna", "person": "GjMYeGZfq94L09xDJhhfew", "bot": "", "resigned": false}, {"name": "Ada", "person": null, "bot": "club", "resigned": false}]','GjMYeGZfq94L09xDJhhfew',0,'',1.79589052383720040317e+09,1.7958905241608874798e+09,'abandoned',NULL,'','{"number": 1, "previous": "0000000000000000000000000000000000000000000000000000000000000000", "commitment": "aaba1a4b345c17965c9ad68a42e3b01c2cc1ba6e434f316b2b570c2ed9785c11", "link": "0e9fb5f7a77bfd103bb918f58a3fc89606122684c4805969484dd894f39fa1d1", "shares": [], "deferred": false}',0);
CREATE INDEX ix_records_person ON records (person);
CREATE INDEX ix_tables_public ON tables (public, status, changed);
CREATE INDEX ix_results_person ON results (person);
CREATE INDEX ix_seats_person ON seats (person);
CREATE INDEX ix_reviews_token ON reviews (token);
CREATE INDEX ix_reviews_record ON reviews (record);
CREATE INDEX ix_reviews_at ON reviews (at);
CREATE INDEX ix_dailies_person ON dailies (person);
CREATE INDEX ix_tables_host ON tables (host);
CREATE INDEX ix_sessions_person ON sessions (person);
CREATE INDEX ix_sessions_seen ON sessions (seen);
CREATE INDEX ix_log_reports ON log (at) WHERE kind = 'report';
CREATE INDEX ix_review_jobs_person ON review_jobs (person);
CREATE INDEX ix_review_jobs_token ON review_jobs (token);
CREATE INDEX ix_review_jobs_record ON review_jobs (record);
DELETE FROM "sqlite_sequence";
COMMIT;
