/// What is done with a tag that proves itself by a key.
public enum PersonalisationTask: String, Choice {
    /// A tag as delivered becomes one of the profile.
    case setUp
    /// A tag of the profile gets the current versions of its keys.
    case rotate
    /// A tag of the profile becomes one as delivered, except for what is permanent.
    case reset
    /// What was interrupted with the tag is finished.
    case resume
    /// A tag of the profile is checked: its message, its keys and their versions.
    case verify
}

/// A setting that a tag keeps permanently.
public enum PermanentSetting: String, Choice {
    /// It shows a random UID at each activation.
    case randomIdentifier
    /// It measures its tamper loop.
    case tamper
    /// It uses LRP instead of AES.
    case lrp
    /// Its keys can never be changed again: MIFARE Ultralight AES, which counts as proven only then.
    case lockKeys
}

/// What the signature of its maker says about a tag.
public enum MakerSignature: String, Choice {
    /// It is right.
    case genuine
    /// It is of another key, or of another UID.
    case wrong
    /// The tag has none, or hides the UID that it is of.
    case missing
}

/// How far a tag is one of a profile.
public enum PersonalisationState: String, Choice {
    /// It is as delivered.
    case delivered
    /// It has the current keys and the settings of the profile.
    case current
    /// It has earlier keys of the profile: `rotate` changes them.
    case outdated
    /// Something was begun with it: `resume` finishes that.
    case interrupted
    /// It has keys or settings that the profile does not know, or has keys as delivered although nfcd gave others to a tag with its UID. It
    /// stays unchanged.
    case foreign
}
