-- What records of one kind alone have, as JSON: a decision's alternatives, a skill's evidence.
ALTER TABLE content ADD COLUMN facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts));
